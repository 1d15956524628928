// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// The reports that the tests look at: written by the built program, from the repository's own recording and from those
// beside it where they are there.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

export const source = process.env.KERNWATT_SOURCE_DIR;
export const work = process.env.KERNWATT_BROWSER_WORK;
export const screenshots = process.env.KERNWATT_SCREENSHOTS;
const program = process.env.KERNWATT_PROGRAM;
const shared = process.env.KERNWATT_SHARED_DIR || path.join(source, "..", "shared");
const example = path.join(source, "examples/train_gpt_h200/train_gpt");
const h200 = path.join(shared, "data/h200");
const kineto = path.join(shared, "data/traces/kineto");

mkdirSync(work, { recursive: true });
mkdirSync(screenshots, { recursive: true });

export const file = (name) => path.join(work, name);
const kernwatt = (...words) => execFileSync(program, words, { stdio: ["ignore", "ignore", "inherit"] });
const attribute = (name, ...words) =>
  kernwatt("attribute", ...words, "--html", file(name + ".html"), "--json", file(name + ".json"), "-o", file(name + ".kw"), "--force");

const training = [example + ".trace.json.gz", "--power", example + ".power.csv.gz", "--power", example + ".power.samples.csv", "--tokens-per-iteration", "32768"];

/** Name -> whether it could be made. */
export function makeDocuments() {
  const made = { training: true, compare: true };
  attribute("training", ...training);
  kernwatt("attribute", ...training, "--iterations", "2:8", "-o", file("part.kw"), "--html", file("part.html"), "--force");
  kernwatt("compare", file("training.kw"), file("part.kw"), "--html", file("compare.html"), "--json", file("compare.json"), "--force");
  hostile();
  made.hostile = true;
  const decode = path.join(kineto, "tl_sglang_qwen3_decode.json.gz");
  if ((made.decode = existsSync(decode))) attribute("decode", decode);
  if ((made.idle = existsSync(h200)))
    attribute("idle", path.join(h200, "burstmix.kernels.csv.gz"), "--power", path.join(h200, "burstmix.power.csv.gz"));
  twoRanks();
  made.job = true;
  const ranks = ["hta_nccl_data.json.gz", "hta_negative_queue_rank0.json.gz"].map((name) => path.join(kineto, name));
  if ((made.ranks = ranks.every(existsSync))) attribute("ranks", ...ranks);
  return made;
}

export const hostileNames = [
  "</script><img src=x onerror=alert(1)>", "<!--<script>alert(2)", "<b onmouseover=alert(3)>bold</b>", "rtl \u202e gnp.exe", "javascript:alert(4)",
  "x".repeat(10000), "line\u2028separator", "${alert(5)} {{title}} {data}", "&lt;i&gt; &amp; \"quoted\""];

/** The training as if it were a job of two ranks on two GPUs of one log; the second one a little faster. */
function twoRanks() {
  const trace = JSON.parse(gunzipSync(readFileSync(example + ".trace.json.gz")));
  for (const rank of [0, 1]) {
    for (const event of trace.traceEvents) {
      if (event.args && "device" in event.args) event.args.device = rank;
      if (rank === 1 && event.cat === "kernel") event.dur *= 0.97;
    }
    trace.deviceProperties[0].id = rank;
    trace.distributedInfo = { backend: "nccl", rank, world_size: 2 };
    writeFileSync(file("rank" + rank + ".json"), JSON.stringify(trace));
  }
  const [head, ...rows] = gunzipSync(readFileSync(example + ".power.csv.gz")).toString().trimEnd().split("\n");
  const gpus = rows.flatMap((row) => [0, 1].map((gpu) => gpu + "," + row));
  writeFileSync(file("two.power.csv"), ["index," + head, ...gpus].join("\n") + "\n");
  attribute("job", file("rank0.json"), file("rank1.json"), "--power", file("two.power.csv"), "--map", "rank0=0,rank1=1", "--tokens-per-iteration", "65536");
}

function hostile() {
  const lines = ["name,start_ns,duration_ns,stream"];
  for (let i = 0; i < 60; ++i) {
    const name = hostileNames[i % hostileNames.length];
    lines.push('"' + name.replaceAll('"', '""') + '",' + (1772366400000000000n + BigInt(i) * 1000000n) + "," + 500000 + ",7");
  }
  writeFileSync(file("hostile.kernels.csv"), Buffer.concat([Buffer.from(lines.join("\n") + '\n"bad \xff bytes",1772366401000000000,500000,7\n', "latin1").subarray(0, 0),
    Buffer.from(lines.join("\n") + "\n", "utf8"), Buffer.from('"bad \xff\xfe bytes",1772366401000000000,500000,7\n', "latin1")]));
  attribute("hostile", file("hostile.kernels.csv"));
}

export const readJson = (name) => JSON.parse(readFileSync(file(name), "utf8"));

/** The document that a page holds, and the page with another one in its place. */
const block = (name) => new RegExp('(<script type="application/json" id="kernwatt-' + name + '">)([\\s\\S]*?)(</script>)');
export const embedded = (html, name) => JSON.parse(html.match(block(name))[2]);
export const withDocument = (html, name, document) =>
  html.replace(block(name), (_, open, __, close) => open + JSON.stringify(document).replaceAll("<", "\\u003c") + close);

/** 3,000 classes, 10,000 iterations and a million readings in the training report: what a long recording of a large program has. */
export function makeLarge() {
  const html = readFileSync(file("training.html"), "utf8");
  const document = embedded(html, "attribution");
  const series = embedded(html, "series");
  let next = Math.max(...document.rows.map((row) => row.id)) + 1;
  const classes = document.rows.filter((row) => row.view === "class");
  const cells = document.cells.rows;
  for (let i = classes.length; i < 3000; ++i) {
    const like = classes[i % classes.length];
    document.rows.push({ ...like, id: next, name: like.name + "_" + i, energy_j: like.energy_j / i });
    const cell = [...cells[i % cells.length]];
    cell[0] = next++;
    cells.push(cell);
  }
  const iterations = document.rows.filter((row) => row.view === "iteration" && !row.flags.includes("outside"));
  for (let i = iterations.length; i < 10000; ++i)
    document.rows.push({ ...iterations[i % iterations.length], id: next++, name: "ProfilerStep#" + i });
  const bytes = [];
  const add = (value) => {
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
    bytes.push(rest);
  };
  const readings = 1000000;
  let before = 0;
  for (let i = 0; i < readings; ++i) {
    add(i === 1 ? 1000 : 0);
    const watts = Math.round(300000 + 250000 * Math.sin(i / 5000) + 40000 * Math.sin(i * 1.7));
    add(watts - before);
    before = watts;
  }
  const data = Buffer.from(bytes).toString("base64");
  series.gpus[0].sensors[0] = { name: "power_instant_w", readings, buckets: readings, readings_per_bucket: 1, data };
  writeFileSync(file("large.html"), withDocument(withDocument(html, "attribution", document), "series", series));
}
