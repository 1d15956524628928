// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { h } from "./dom";
import { countText } from "./format";
import { t } from "./messages";
import type { Section } from "./page";
import type { QualityEntry } from "./report";

const rank = { error: 0, warning: 1, info: 2 };

export function ledgerSection(quality: QualityEntry[]): Section {
  return {
    id: "ledger", title: "ledger",
    render(body) {
      if (quality.length === 0) return void body.append(h("p", { class: "notice" }, t("ledgerEmpty")));
      const entries = [...quality].sort((a, b) => rank[a.severity] - rank[b.severity]);
      body.append(h("p", { class: "intro" }, t("ledgerIntro")), h("ul", { class: "ledger" }, entries.map((entry) =>
        h("li", { class: entry.severity }, h("span", { class: "severity" }, t(`sev_${entry.severity}`)), h("code", {}, entry.id),
          entry.count > 1 ? h("span", { class: "count" }, t("times", { count: countText(entry.count) })) : null, h("p", { lang: "en" }, entry.message)))));
    },
  };
}
