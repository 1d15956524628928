// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
// A page in headless Chromium that remembers whatever it must not do.
import puppeteer from "puppeteer-core";
import { file, screenshots } from "./documents.mjs";
import path from "node:path";

let browser;
export async function startBrowser() {
  browser = await puppeteer.launch({ executablePath: process.env.KERNWATT_CHROMIUM, headless: true, args: ["--no-sandbox", "--disable-gpu", "--lang=en"] });
}
export const stopBrowser = () => browser?.close();

export async function open(name, { width = 1280, scheme = "light", languages = ["en"], height = 900 } = {}) {
  const page = await browser.newPage();
  page.faults = [];
  page.on("console", (message) => { if (["error", "warn", "warning"].includes(message.type())) page.faults.push("console: " + message.text()); });
  page.on("pageerror", (error) => page.faults.push("error: " + error.message));
  page.on("dialog", (dialog) => { page.faults.push("dialog: " + dialog.message()); void dialog.dismiss(); });
  page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url()) || request.url().startsWith("file:") && !request.isNavigationRequest()) page.faults.push("request: " + request.url()); });
  page.setDefaultTimeout(120000);
  await page.setViewport({ width, height, deviceScaleFactor: 1 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }]);
  await page.evaluateOnNewDocument((list) => {
    Object.defineProperty(navigator, "languages", { get: () => list });
    Object.defineProperty(navigator, "language", { get: () => list[0] });
  }, languages);
  const started = performance.now();
  await page.goto("file://" + file(name + ".html"), { waitUntil: "load" });
  await page.waitForSelector("html[data-ready]");
  page.opened_ms = performance.now() - started;
  return page;
}

export async function settle(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 350)))));
}

export async function screenshot(page, name) {
  await settle(page);
  await page.screenshot({ path: path.join(screenshots, name + ".png"), fullPage: true });
}

/** Text of all elements that match. */
export const texts = (page, selector) => page.$$eval(selector, (list) => list.map((element) => element.textContent));
export const text = (page, selector) => page.$eval(selector, (element) => element.textContent);
/** Clicks without waiting for the mouse to travel. */
export const click = (page, selector) => page.$eval(selector, (element) => element.click());
/** Clicks the first button that says this. */
export async function press(page, within, label) {
  await page.$eval(within, (root, wanted) => {
    const button = [...root.querySelectorAll("button")].find((one) => one.textContent.trim() === wanted);
    if (!button) throw new Error("no button " + wanted);
    button.click();
  }, label);
}

/** "2.52 kJ" -> 2520, "12.3 %" -> 0.123. */
export function number(shown) {
  const found = shown.replace("−", "-").match(/(-?[\d.]+(?:e[+-]\d+)?)(?:\s*±\s*<?[\d.]+)?\s*(nJ|µJ|mJ|J|kJ|MJ|GJ|ns|µs|ms|s|W|%)?/);
  const size = { nJ: 1e-9, "µJ": 1e-6, mJ: 1e-3, kJ: 1e3, MJ: 1e6, GJ: 1e9, ns: 1e-9, "µs": 1e-6, ms: 1e-3, "%": 0.01 }[found?.[2]] ?? 1;
  return found ? Number(found[1]) * size : NaN;
}
