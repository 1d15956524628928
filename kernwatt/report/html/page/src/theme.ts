// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

/** Colours. A category has one colour on every page; the sets are told apart with all common kinds of colour blindness
 *  (after Paul Tol's schemes), the dark one is the same hues made lighter. Phases have no colour of their own. */

const light: Record<string, string> = {
  "matrix product": "#3b6fb0", attention: "#aa3377", normalisation: "#3f9e8f", "element-wise": "#d9a62e",
  reduction: "#1f7a43", copy: "#7fc4e0", optimizer: "#cc6677", communication: "#e0702e", other: "#8f8f3d",
  idle: "#c3c7cd", unattributed: "#8b9097",
};
const dark: Record<string, string> = {
  "matrix product": "#6d9bd6", attention: "#d070a6", normalisation: "#5fbcae", "element-wise": "#e0b44c",
  reduction: "#4fa873", copy: "#93cfe8", optimizer: "#de8896", communication: "#ef8f55", other: "#b3b35f",
  idle: "#5d636c", unattributed: "#8b9199",
};

export type Theme = "auto" | "light" | "dark";
let printing = false;

export function isDark(): boolean {
  if (printing) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}
export function setPrinting(on: boolean): void { printing = on; }
export function setTheme(theme: Theme): void {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function categoryColour(category: string): string {
  const set = isDark() ? dark : light;
  return set[category] ?? set.other;
}

/** A colour of the style sheet, as the charts need it. */
export function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function channels(colour: string): [number, number, number] {
  return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)) as [number, number, number];
}

function luminance(colour: string): number {
  const [r, g, b] = channels(colour).map((c) => {
    const s = c / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever is easier to read on it: at least 4.5 : 1 on any colour. */
export function textOn(colour: string): string {
  const y = luminance(colour);
  return 1.05 / (y + 0.05) > (y + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

export function mix(from: string, to: string, part: number): string {
  const a = channels(from);
  const b = channels(to);
  return "#" + a.map((v, i) => Math.round(v + (b[i] - v) * part).toString(16).padStart(2, "0")).join("");
}

/** 0 to 1 as a colour of one hue. */
export function scaleColour(part: number): string {
  const p = Math.min(1, Math.max(0, part));
  return isDark() ? mix("#1c2430", "#7fb2ea", p) : mix("#f3f7fc", "#1d5694", p);
}
