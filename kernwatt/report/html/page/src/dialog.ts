// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { freshId, h } from "./dom";
import { t } from "./messages";

/** Shows something beside the page; Escape and the button close it, the focus returns to where it was. */
export function showDialog(title: string, ...content: Node[]): void {
  const id = freshId("dialog");
  const before = document.activeElement as HTMLElement | null;
  const dialog = h("dialog", { "aria-labelledby": id },
    h("div", { class: "dialog-head" }, h("h2", { id }, title),
      h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, t("close"))),
    h("div", { class: "dialog-body" }, content));
  dialog.addEventListener("close", () => {
    dialog.remove();
    before?.focus();
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
}
