// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, unknown>;

/** An element. Text is always text: nothing that comes from the data is ever read as HTML. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "style") Object.entries(value as object).forEach(([k, v]) => element.style.setProperty(k, String(v)));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

let lastId = 0;
export const freshId = (what: string): string => "kw-" + what + "-" + ++lastId;

/** Runs at most once a frame. */
export function oncePerFrame(action: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      action();
    });
  };
}
