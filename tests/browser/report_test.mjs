// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// What a reader of the HTML report meets, in headless Chromium. Run by run.sh.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { embedded, file, hostileNames, makeDocuments, makeLarge, readJson, source } from "./documents.mjs";
import { click, number, open, press, screenshot, settle, startBrowser, stopBrowser, text, texts } from "./page.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const made = makeDocuments();
before(startBrowser);
after(stopBrowser);

const near = (shown, value, tolerance = 0.006) =>
  assert.ok(Math.abs(number(shown) - value) <= tolerance * Math.abs(value) + 1e-12, shown + " is not " + value);

async function clean(page) {
  assert.deepEqual(page.faults, []);
  await page.close();
}

/** Rules that a machine can check: roles, names, labels, contrast. */
async function accessible(page, what) {
  const cdp = await page.createCDPSession();
  await cdp.send("Page.setBypassCSP", { enabled: true });
  await page.evaluate(axe + ";0");
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map((one) => what + ": " + one.id + " " + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")), []);
}

for (const name of ["training", "decode", "job", "ranks", "idle", "compare"])
  test(name + ": good to look at and to listen to, wide and narrow, light and dark", { skip: made[name] ? false : "its recording is not here" }, async () => {
    for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [390, "light"], [390, "dark"]]) {
      const page = await open(name, { width, scheme });
      await screenshot(page, [name, width, scheme].join("-"));
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, "the page is " + overflow + " px too wide");
      const empty = await page.$$eval("section", (list) => list.filter((section) => section.querySelector(".section-body").textContent.trim() === "").map((section) => section.id));
      assert.deepEqual(empty, [], "empty sections");
      await accessible(page, width + " " + scheme);
      await clean(page);
    }
  });

test("training: the page holds the very document of --json", () => {
  assert.deepEqual(embedded(readFileSync(file("training.html"), "utf8"), "attribution"), { ...readJson("training.json") });
});

test("training: the first figures are those of the JSON", async () => {
  const document = readJson("training.json");
  const { energy, iterations } = document;
  const page = await open("training");
  const tile = async (id) => (await text(page, '[data-tile="' + id + '"] .figure')) + " " + (await text(page, '[data-tile="' + id + '"] .unit'));
  near(await tile("total"), energy.total_j);
  near((await tile("iteration")).replace(/±.*?(\S+)$/, "$1"), iterations.energy_j, 0.01);
  near(await tile("tokens"), iterations.tokens_per_joule);
  near(await tile("power"), energy.total_j / ((energy.end_ns - energy.start_ns) * 1e-9));
  near(await tile("idle"), energy.idle_j / energy.total_j, 0.1);
  for (const part of ["attributed", "idle", "unattributed"]) near(await text(page, '[data-part="' + part + '"]'), energy[part + "_j"]);
  await clean(page);
});

test("training: every class of the table has its row's figures, largest first", async () => {
  const document = readJson("training.json");
  const classes = document.rows.filter((row) => row.view === "class").sort((a, b) => b.energy_j - a.energy_j);
  const page = await open("training");
  const shown = await page.$$eval("#table tbody tr[data-row]", (rows) => rows.map((row) => ({ id: Number(row.dataset.row), cells: [...row.children].map((cell) => cell.textContent) })));
  assert.ok(shown.length >= 14);
  shown.forEach((row, i) => {
    assert.equal(row.id, classes[i].id);
    near(row.cells[1], classes[i].energy_j);
    near(row.cells[4], classes[i].time_s);
    near(row.cells[5], classes[i].power_w);
  });
  assert.equal(await text(page, "#table [role=status]"), classes.length + " of " + classes.length + " rows");
  await clean(page);
});

test("training: the table sorts and searches", async () => {
  const document = readJson("training.json");
  const page = await open("training");
  const column = (n) => texts(page, "#table tbody tr[data-row] > :nth-child(" + n + ")");
  await press(page, "#table thead", "Time");
  assert.equal(await page.$eval("#table th[aria-sort=descending]", (head) => head.textContent.startsWith("Time")), true);
  let times = (await column(5)).map(number);
  assert.deepEqual(times, [...times].sort((a, b) => b - a));
  await page.$eval("#table th[aria-sort=descending] button", (button) => button.click());
  times = (await column(5)).map(number);
  assert.deepEqual(times, [...times].sort((a, b) => a - b));
  await page.type("#table input[type=search]", "nvjet");
  const wanted = document.rows.filter((row) => row.view === "class" && row.name.includes("nvjet"));
  assert.ok((await text(page, "#table [role=status]")).startsWith(wanted.length + " of "));
  await press(page, "#table .toolbar", "Layers");
  await page.$eval("#table input[type=search]", (input) => { input.value = ""; input.dispatchEvent(new Event("input")); });
  assert.equal((await column(1)).length, document.rows.filter((row) => row.view === "layer").length);
  await page.type("#table input[type=search]", "no such name");
  assert.equal(await text(page, "#table [role=status]"), "No name matches.");
  await clean(page);
});

test("training: rows are copied as CSV", async () => {
  const page = await open("training");
  await press(page, "#table", "Copy as CSV");
  await page.waitForFunction(() => /Copied|selected/.test(document.querySelector("#table [role=status]").textContent));
  await clean(page);
});

test("training: the treemap's list drills down, and the path leads back", async () => {
  const document = readJson("training.json");
  const page = await open("training");
  const parts = () => texts(page, ".breakdown-list table:first-child tbody th");
  const phases = document.rows.filter((row) => row.view === "phase" && (row.energy_j ?? 0) > 0);
  assert.equal((await parts()).length, phases.length);
  for (const phase of phases) {
    const shown = await page.$$eval(".breakdown-list table:first-child tbody tr", (rows, name) => rows.find((row) => row.children[0].textContent.toLowerCase() === name)?.children[1].textContent, phase.name);
    near(shown, phase.energy_j);
  }
  await press(page, ".breakdown-list", "backward");
  assert.deepEqual(await texts(page, ".crumbs li"), ["Everything", "backward"]);
  await press(page, ".breakdown-list", "matrix product");
  assert.deepEqual(await texts(page, ".crumbs li"), ["Everything", "backward", "matrix product"]);
  assert.ok((await parts())[0].includes("nvjet"));
  await press(page, ".crumbs", "Everything");
  assert.deepEqual(await texts(page, ".crumbs li"), ["Everything"]);
  await press(page, "#breakdown", "Seconds");
  near((await texts(page, ".breakdown-list table:first-child tbody td"))[0], document.rows.find((row) => row.name === "backward").time_s);
  await clean(page);
});

test("training: a click on the treemap itself drills", async () => {
  const page = await open("training");
  await settle(page);
  await page.$eval(".treemap", (element) => element.scrollIntoView({ block: "center" }));
  const box = await (await page.$(".treemap")).boundingBox();
  await page.mouse.click(box.x + 40, box.y + box.height / 2);
  await settle(page);
  assert.equal((await texts(page, ".crumbs li")).length, 3);
  await clean(page);
});

test("training: the layer map adds up to the layers and opens their operators", async () => {
  const document = readJson("training.json");
  const page = await open("training");
  const layers = document.rows.filter((row) => row.view === "layer");
  const totals = await texts(page, ".heatmap tbody td:last-child");
  assert.equal(totals.length, layers.length);
  layers.forEach((layer, i) => near(totals[i], layer.energy_j));
  for (const [label, of] of [["Seconds", (row) => row.time_s], ["Watts", (row) => row.power_w], ["J/FLOP", (row) => row.j_per_flop * 1e12]]) {
    await press(page, "#layers", label);
    const shown = await texts(page, ".heatmap tbody td:last-child");
    layers.forEach((layer, i) => of(layer) && near(shown[i], of(layer), 0.02));
  }
  await click(page, ".heatmap tbody tr:nth-child(2) td button");
  const title = await text(page, "dialog h2");
  assert.ok(title.startsWith("Operators of Block_1"), title);
  assert.ok((await texts(page, "dialog tbody tr")).length >= 3);
  await accessible(page, "dialog");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  await clean(page);
});

test("training: the keyboard reaches everything and the focus returns", async () => {
  const page = await open("training");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.focus("#layers [role=radio][aria-checked=true]");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Watts");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-checked")), "true");
  await page.focus("#table tbody button.link");
  await page.keyboard.press("Enter");
  assert.ok(await page.$("dialog[open]"));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  assert.equal(await page.evaluate(() => document.activeElement.className), "link");
  await page.focus(".power-chart");
  const range = () => page.$eval(".power-chart", (element) => Number(element.dataset.to) - Number(element.dataset.from));
  const whole = await range();
  await page.keyboard.press("+");
  await settle(page);
  assert.ok(Math.abs((await range()) / whole - 0.5) < 0.01, "zoomed to half");
  await page.keyboard.press("Home");
  await settle(page);
  assert.ok((await range()) > whole);
  await clean(page);
});

test("training: theme and language switch, and the language is the browser's at first", async () => {
  const page = await open("training");
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await press(page, ".page-controls", "Dark");
  assert.notEqual(await background(), light);
  await press(page, ".page-controls", "Light");
  assert.equal(await background(), light);
  await press(page, ".page-controls", "中文");
  assert.equal(await text(page, "h1"), "能耗去向");
  assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-CN");
  await clean(page);
  const chinese = await open("training", { languages: ["zh-CN", "en"], width: 390 });
  assert.equal(await text(chinese, "h1"), "能耗去向");
  assert.ok(!/[A-Za-z]{4,}/.test((await texts(chinese, "h2, .tile dt, thead th")).join(" ").replace(/FLOP/g, "")), "words left in English");
  await screenshot(chinese, "training-390-chinese");
  await clean(chinese);
});

test("training: prints", async () => {
  const page = await open("training");
  await page.emulateMediaType("print");
  const pdf = await page.pdf({ format: "A4", path: file("training.pdf") });
  assert.ok(pdf.length > 20000);
  assert.equal(await page.$eval(".page-controls", (element) => getComputedStyle(element).display), "none");
  await clean(page);
});

test("hostile names stay text", async () => {
  const page = await open("hostile");
  await settle(page);
  assert.equal(await page.evaluate(() => document.images.length + document.querySelectorAll("#page script, #page b[onmouseover]").length), 0);
  const shown = (await texts(page, "#table tbody th")).join("\n");
  for (const part of ["</script><img src=x onerror=alert(1)>".slice(0, 9), "javascript:alert"]) assert.ok(shown.includes(part), part);
  assert.ok(!shown.includes("\u202e"), "a direction mark would turn the line around");
  for (let i = 1; i <= Math.min(hostileNames.length, 8); ++i) {
    await page.$$eval("#table tbody button.link", (buttons, n) => buttons[n % buttons.length].click(), i);
    await page.keyboard.press("Escape");
  }
  await screenshot(page, "hostile-1280-light");
  await clean(page);
});

test("job: rows of all GPUs together, and of each", async () => {
  const document = readJson("job.json");
  const page = await open("job");
  const count = (rows) => rows.filter((row) => row.view === "class").length;
  assert.ok((await text(page, "#table [role=status]")).startsWith(count(document.combined) + " of "));
  near((await texts(page, "#table tbody tr[data-row] > :nth-child(2)"))[0], Math.max(...document.combined.filter((row) => row.view === "class").map((row) => row.energy_j)));
  await press(page, "#table", "Each GPU");
  assert.ok((await text(page, "#table [role=status]")).startsWith(count(document.rows) + " of "));
  const layers = document.combined.filter((row) => row.view === "layer");
  (await texts(page, ".heatmap tbody td:last-child")).forEach((shown, i) => near(shown, layers[i].energy_j));
  await page.select("#power select", await page.$eval("#power select option:nth-child(2)", (option) => option.value));
  await settle(page);
  await clean(page);
});

test("compare: totals and rows are those of the JSON", async () => {
  const document = readJson("compare.json");
  const page = await open("compare");
  assert.ok(Math.abs(number(await text(page, "[data-tile=energy] .figure")) - document.total.energy_j.relative) <= 0.0005);
  const classes = document.rows.filter((row) => row.view === "class");
  assert.equal(await text(page, "#table [role=status]"), classes.length + " of " + classes.length + " rows");
  near((await texts(page, "#table tbody tr[data-row] > :nth-child(4)"))[0], classes[0].before.energy_j);
  await clean(page);
});

test("large: 3,000 classes, 10,000 iterations, a million readings", async (t) => {
  makeLarge();
  const page = await open("large");
  t.diagnostic("opened in " + Math.round(page.opened_ms) + " ms, " + (statSync(file("large.html")).size / 1e6).toFixed(1) + " MB");
  await press(page, "#table .toolbar", "Iterations");
  assert.ok((await texts(page, "#table tbody tr[data-row]")).length < 60, "only what is on screen is in the document");
  await page.$eval(".table-scroll", (element) => { element.scrollTop = element.scrollHeight; });
  await settle(page);
  assert.ok((await text(page, "#table tbody tr[data-row]:last-of-type, #table tbody tr:nth-last-child(1)")).includes("ProfilerStep#9999") ||
    (await texts(page, "#table tbody tr[data-row]")).at(-1).includes("ProfilerStep"));
  await page.focus(".power-chart");
  await page.keyboard.press("Home");
  const frames = await page.evaluate(async () => {
    const element = document.querySelector(".power-chart");
    const started = performance.now();
    for (const key of ["+", "+", "+", "ArrowLeft", "ArrowRight", "-", "ArrowLeft", "+", "+", "-"]) {
      element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await new Promise((done) => requestAnimationFrame(done));
    }
    return (performance.now() - started) / 10;
  });
  t.diagnostic("zooming and moving over 1,000,000 readings: " + frames.toFixed(1) + " ms a step");
  await clean(page);
});

test("training: the file is small", (t) => {
  const bytes = statSync(file("training.html")).size;
  t.diagnostic("training.html: " + (bytes / 1e6).toFixed(2) + " MB");
  assert.ok(bytes < 1.5e6);
});

test("numbers are shown as the terminal shows them", async () => {
  const { build } = createRequire(process.env.KERNWATT_PAGE_MODULES + "/x.js")("esbuild");
  const bundled = await build({ entryPoints: [source + "/kernwatt/report/html/page/src/format.ts"], bundle: true, write: false, format: "esm" });
  const format = await import("data:text/javascript," + encodeURIComponent(bundled.outputFiles[0].text));
  for (const one of JSON.parse(readFileSync(source + "/tests/golden/report/magnitudes.json", "utf8"))) {
    const interval = one.half === null ? null : [one.value - one.half, one.value + one.half / 2];
    const shown = { energy: format.energyText(one.value, interval), change: format.text(format.measuredEnergyChange(one.value, interval)),
      power: format.powerText(one.value, interval), time: format.timeText(one.value), digits: format.threeDigits(one.value),
      share: format.shareText(one.value / 100), count: format.countText(Math.floor(Math.abs(one.value))) };
    for (const [kind, text] of Object.entries(shown)) assert.equal(text, one[kind], kind + " of " + one.value + " ± " + one.half);
  }
});
