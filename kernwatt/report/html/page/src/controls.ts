// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { h } from "./dom";

/** A row of choices of which one holds, as radio buttons that look like one control. */
export function segmented<T extends string>(label: string, options: { value: T; label: string }[], chosen: T,
  choose: (value: T) => void): HTMLElement {
  const buttons = options.map((option) =>
    h("button", {
      type: "button", role: "radio", "aria-checked": String(option.value === chosen),
      tabindex: option.value === chosen ? 0 : -1, "data-value": option.value,
      onclick: () => take(option.value),
    }, option.label));
  function take(value: T): void {
    for (const button of buttons) {
      const on = button.dataset.value === value;
      button.setAttribute("aria-checked", String(on));
      button.tabIndex = on ? 0 : -1;
      if (on && group.contains(document.activeElement)) button.focus();
    }
    choose(value);
  }
  const group = h("div", {
    class: "segmented", role: "radiogroup", "aria-label": label,
    onkeydown: (event: KeyboardEvent) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const at = buttons.findIndex((button) => button.getAttribute("aria-checked") === "true");
      const next = buttons[(at + step + buttons.length) % buttons.length];
      next.focus();
      take(next.dataset.value as T);
    },
  }, buttons);
  return group;
}

export function swatch(colour: string): HTMLElement {
  return h("span", { class: "swatch", "aria-hidden": "true", style: { background: colour } });
}
