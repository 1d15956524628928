// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { segmented } from "./controls";
import { h, replace } from "./dom";
import { language, preferredLanguage, setLanguage, t, type Message } from "./messages";
import { forgetListeners, themeChanged, type Section } from "./page";
import { setPrinting, setTheme, type Theme } from "./theme";

export interface Page { title: () => Message; what: string; sections: Section[] }

let theme: Theme = "auto";

function controls(rerender: () => void): HTMLElement {
  return h("div", { class: "page-controls" },
    segmented(t("language"), [{ value: "en", label: "English" }, { value: "zh", label: "中文" }], language(), (chosen) => {
      setLanguage(chosen);
      rerender();
    }),
    segmented(t("theme"), [{ value: "auto", label: t("themeAuto") }, { value: "light", label: t("themeLight") }, { value: "dark", label: t("themeDark") }], theme, (chosen) => {
      theme = chosen;
      setTheme(chosen);
      themeChanged();
    }));
}

/** The frame of every page: header, contents, its sections. */
export function showPage(page: Page): void {
  const root = document.getElementById("page")!;
  let rendering = 0;
  const render = (first = false): void => {
    const mine = ++rendering;
    forgetListeners();
    const bodies = page.sections.map((section) => ({ section, body: h("div", { class: "section-body" }) }));
    replace(root,
      h("a", { class: "skip", href: "#content" }, t("skip")),
      h("header", { class: "page-head" }, h("div", {}, h("p", { class: "brand" }, "kernwatt"), h("h1", {}, t(page.title())), h("p", { class: "what" }, page.what)), controls(() => render())),
      h("nav", { class: "contents", "aria-label": t("contents") }, h("ul", {}, page.sections.map((section) => h("li", {}, h("a", { href: "#" + section.id }, t(section.title)))))),
      h("main", { id: "content" }, bodies.map(({ section, body }) =>
        h("section", { id: section.id, "aria-labelledby": section.id + "-title" }, h("h2", { id: section.id + "-title" }, t(section.title)), body))));
    const next = (i: number): void => {
      if (mine !== rendering) return;
      if (i === bodies.length) return void (document.documentElement.dataset.ready = "true");
      bodies[i].section.render(bodies[i].body);
      // The first figures are on screen before the charts are drawn.
      if (first) setTimeout(() => next(i + 1));
      else next(i + 1);
    };
    next(0);
  };
  setLanguage(preferredLanguage());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themeChanged);
  addEventListener("beforeprint", () => { setPrinting(true); themeChanged(); });
  addEventListener("afterprint", () => { setPrinting(false); themeChanged(); });
  render(true);
}
