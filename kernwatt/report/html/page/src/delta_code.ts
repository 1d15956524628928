// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

/** Reads what kernwatt/report/html/delta_code.cpp has written: zigzag, seven bits a byte, Base64. */
export class DeltaReader {
  private readonly bytes: string;
  private at = 0;

  constructor(base64: string) { this.bytes = atob(base64); }

  next(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.bytes.charCodeAt(this.at++);
      value += (byte & 127) * factor;
      if (!(byte & 128)) break;
      factor *= 128;
    }
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}
