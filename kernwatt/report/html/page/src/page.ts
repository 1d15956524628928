// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import type { Message } from "./messages";

/** A part of a page. A page is a list of them; what has nothing to show says so with null and is left out. */
export interface Section {
  id: string;
  title: Message;
  /** Fills the body. Called again when the language changes. */
  render(body: HTMLElement): void;
}
export type MakeSection = () => Section | null;

type Listener = () => void;
const themeListeners: Listener[] = [];
/** Charts draw themselves anew when colours change. Forgotten at the next rendering of the page. */
export function onThemeChange(listener: Listener): void { themeListeners.push(listener); }
export function themeChanged(): void { themeListeners.forEach((listener) => listener()); }
export function forgetListeners(): void {
  themeListeners.length = 0;
  disposers.splice(0).forEach((dispose) => dispose());
}
const disposers: Listener[] = [];
export function onRerender(dispose: Listener): void { disposers.push(dispose); }

/** What the user has chosen survives a change of language or theme. */
export const choices: Record<string, string> = {};
