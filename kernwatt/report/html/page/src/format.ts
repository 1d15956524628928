// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

/** Numbers as people read them; the same rules as kernwatt/report/text/magnitude.cpp, which a test compares. */

export type Interval = [number, number] | null;
interface Unit { name: string; size: number }

const energyUnits: Unit[] = [
  { name: "nJ", size: 1e-9 }, { name: "µJ", size: 1e-6 }, { name: "mJ", size: 1e-3 }, { name: "J", size: 1 },
  { name: "kJ", size: 1e3 }, { name: "MJ", size: 1e6 }, { name: "GJ", size: 1e9 }];
const timeUnits: Unit[] = [
  { name: "ns", size: 1e-9 }, { name: "µs", size: 1e-6 }, { name: "ms", size: 1e-3 }, { name: "s", size: 1 }];
const watt: Unit = { name: "W", size: 1 };

function unitFor(units: Unit[], value: number, base: Unit): Unit {
  const magnitude = Math.abs(value);
  if (!(magnitude > 0) || !Number.isFinite(magnitude)) return base;
  let best = units[0];
  for (const unit of units) if (magnitude >= unit.size * 0.9995) best = unit;
  return best;
}

export const energyUnit = (joules: number): Unit => unitFor(energyUnits, joules, energyUnits[3]);
export const timeUnit = (seconds: number): Unit => unitFor(timeUnits, seconds, timeUnits[3]);

function decimalsFor(value: number, digits: number): number {
  const magnitude = Math.abs(value);
  if (!(magnitude > 0) || !Number.isFinite(magnitude)) return 0;
  const rounded = magnitude * (1 + 0.5 * 10 ** -digits);
  return Math.min(9, Math.max(0, digits - 1 - Math.floor(Math.log10(rounded))));
}

function exponent(value: number): string {
  return value.toExponential(2).replace(/e([+-])(\d)$/, "e$10$2");
}

/** As C rounds what lies exactly in the middle; toFixed rounds that up. */
function halfToEven(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  const twice = Math.abs(value) * 2 * 10 ** decimals;
  if (!Number.isInteger(twice) || twice % 2 === 0) return text;
  const exact = Math.abs(value).toFixed(decimals + 60);
  const tie = /^50*$/.test(exact.slice(-60));
  if (!tie || Number(text[text.length - 1]) % 2 === 0) return text;
  const down = exact.slice(0, -60).replace(/\.$/, "");
  return (value < 0 ? "-" : "") + down;
}

function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "?";
  if (Math.abs(value) >= 1e9) return exponent(value);
  const text = halfToEven(value, decimals);
  return /[1-9]/.test(text) ? text : text.replace("-", "");
}

export interface Measured { value: string; half: string; unit: string }

export function halfWidth(value: number, interval: Interval): number | null {
  if (!interval) return null;
  const half = Math.max(interval[1] - value, value - interval[0]);
  return Number.isFinite(half) ? Math.max(half, 0) : null;
}

function measured(value: number, interval: Interval, unit: Unit): Measured {
  const scaled = value / unit.size;
  let decimals = decimalsFor(scaled, 3);
  const half = halfWidth(value, interval);
  if (half === null) return { value: fixed(scaled, decimals), half: "", unit: unit.name };
  const scaledHalf = half / unit.size;
  const fewest = scaledHalf > Math.abs(scaled) ? 0 : Math.min(decimals, decimalsFor(scaled, 2));
  const shown = Math.min(decimals, Math.max(fewest, decimalsFor(scaledHalf, 2)));
  decimals = decimalsFor(scaledHalf, 1) > shown ? shown + 1 : shown;
  const lastDigit = 10 ** -decimals;
  const halfText = scaledHalf > 0 && scaledHalf < lastDigit / 2 ? "<" + fixed(lastDigit, decimals) : fixed(scaledHalf, decimals);
  return { value: fixed(scaled, decimals), half: halfText, unit: unit.name };
}

export function measuredEnergy(joules: number, interval: Interval): Measured {
  const half = halfWidth(joules, interval) ?? 0;
  return measured(joules, interval, energyUnit(Math.max(Math.abs(joules), half / 10)));
}
/** A difference: in the unit of the larger of the two, so that "+0.1 ± 5.8 J" is not said in mJ. */
export function measuredEnergyChange(joules: number, interval: Interval): Measured {
  return measured(joules, interval, energyUnit(Math.max(Math.abs(joules), halfWidth(joules, interval) ?? 0)));
}
export const measuredPower = (watts: number, interval: Interval): Measured => measured(watts, interval, watt);
export const measuredTime = (seconds: number, interval: Interval): Measured =>
  measured(seconds, interval, timeUnit(Math.max(Math.abs(seconds), (halfWidth(seconds, interval) ?? 0) / 10)));

export const text = (m: Measured): string => (m.half ? `${m.value} ± ${m.half} ${m.unit}` : `${m.value} ${m.unit}`);
export const energyText = (joules: number, interval: Interval = null): string => text(measuredEnergy(joules, interval));
export const powerText = (watts: number, interval: Interval = null): string => text(measuredPower(watts, interval));

export function threeDigits(value: number): string {
  if (!Number.isFinite(value)) return "?";
  const magnitude = Math.abs(value);
  if (magnitude > 0 && (magnitude < 0.001 || magnitude >= 999999.5)) return exponent(value);
  return fixed(value, decimalsFor(value, 3));
}

export function timeText(seconds: number): string {
  const unit = timeUnit(seconds);
  return `${threeDigits(seconds / unit.size)} ${unit.name}`;
}

export function shareText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  return fixed(percent, 1) + " %";
}

/** "+12.3 %": a change, always with its sign. */
export function changeText(change: number): string {
  const percent = change * 100;
  if (!Number.isFinite(percent)) return "–";
  const shown = fixed(Math.abs(percent), Math.abs(percent) < 99.95 ? 1 : 0);
  return (/[1-9]/.test(shown) ? (percent < 0 ? "−" : "+") : "") + shown + " %";
}

export function countText(count: number): string {
  if (count < 1e7) return String(Math.round(count));
  return count < 999.5e6 ? threeDigits(count / 1e6) + " M" : threeDigits(count / 1e9) + " G";
}

/** Joules per floating-point operation, in pJ. */
export const densityText = (joulesPerFlop: number): string => threeDigits(joulesPerFlop * 1e12) + " pJ/FLOP";

export function utcText(timeNs: number): string {
  return new Date(timeNs / 1e6).toISOString().replace("T", " ").replace("Z", " UTC");
}
