// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
import { CustomChart, LineChart, TreemapChart } from "echarts/charts";
import { AriaComponent, DataZoomComponent, GridComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { oncePerFrame } from "./dom";
import { onRerender } from "./page";

echarts.use([TreemapChart, LineChart, CustomChart, GridComponent, DataZoomComponent, TooltipComponent, AriaComponent,
  MarkLineComponent, CanvasRenderer]);

export type Chart = echarts.ECharts;

/** A chart that follows the width of its element. */
export function makeChart(element: HTMLElement): Chart {
  const chart = echarts.init(element, undefined, { renderer: "canvas" });
  const resize = oncePerFrame(() => { if (!chart.isDisposed()) chart.resize(); });
  const observer = new ResizeObserver(resize);
  observer.observe(element);
  onRerender(() => {
    observer.disconnect();
    chart.dispose();
  });
  return chart;
}

export const fontFamily = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', sans-serif";
