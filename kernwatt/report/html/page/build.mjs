// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// build.mjs OUT.cpp: bundles the page into one HTML file and writes it as C++ text, cut where the title and the data go;
// OUT.cpp.d names the files that it is made of, for ninja.
// Node modules are found through NODE_PATH. The page's script and style are allowed by their hashes: whoever changes
// one byte of them has a page that does nothing.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = process.env.NODE_PATH ?? path.join(here, "node_modules");
const { build } = createRequire(path.join(modules, "x.js"))("esbuild");

const inputs = [path.join(here, "build.mjs"), path.join(here, "template.html")];

async function bundle(entry, loader) {
  const result = await build({
    entryPoints: [path.join(here, entry)],
    nodePaths: [modules],
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    metafile: true,
    legalComments: "none",
    target: ["chrome100", "firefox100", "safari15"],
    format: loader === "js" ? "iife" : undefined,
    logLevel: "warning",
  });
  inputs.push(...Object.keys(result.metafile.inputs).map((name) => path.resolve(name)));
  // "</" would end the element that holds the text.
  return loader === "js" ? result.outputFiles[0].text.replaceAll("</", "<\\/") : result.outputFiles[0].text;
}

const hash = (text) => "'sha256-" + createHash("sha256").update(text, "utf8").digest("base64") + "'";

/** A raw string literal; pieces, because compilers limit the length of one. */
function literal(text) {
  const pieces = text.match(/[\s\S]{1,12000}/gu) ?? [""];
  return pieces.map((piece) => 'R"kwpage(' + piece + ')kwpage"').join("\n    ");
}

const script = await bundle("src/main.ts", "js");
const style = await bundle("style.css", "css");
const fill = (text) =>
  text
    .replace("{script-hash}", () => hash(script))
    .replace("{style-hash}", () => hash(style))
    .replace("{style}", () => style)
    .replace("{script}", () => script);
// Cut first: the script may hold these words too.
const [head, afterTitle] = readFileSync(path.join(here, "template.html"), "utf8").split("{title}");
const [beforeData, afterData] = afterTitle.split("{data}");
writeFileSync(
  process.argv[2],
  '#include "kernwatt/report/html/page_bundle.hpp"\n\nnamespace kernwatt::report::embedded {\n' +
    "extern const std::string_view page_before_title =\n    " + literal(fill(head)) + ";\n" +
    "extern const std::string_view page_before_data =\n    " + literal(fill(beforeData)) + ";\n" +
    "extern const std::string_view page_after_data =\n    " + literal(fill(afterData)) + ";\n" +
    "}  // namespace kernwatt::report::embedded\n",
);
const own = inputs.filter((name) => name.startsWith(here));
writeFileSync(process.argv[2] + ".d", process.argv[2] + ": " + own.map((name) => name.replaceAll(" ", "\\ ")).join(" ") + "\n");
