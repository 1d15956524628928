// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0

/** Every word of the page. Sentences of the data itself (names, the ledger) stay as they are. */

const en = {
  title: "Where the joules went",
  titleTime: "Where the time went",
  subtitleTime: "Time only: no energy was measured for this recording.",
  theme: "Theme", themeAuto: "Auto", themeLight: "Light", themeDark: "Dark", language: "Language",
  skip: "Skip to the content", contents: "Contents",
  // summary
  summary: "At a glance", energy: "Energy", perIteration: "Per iteration", tokensPerJoule: "Tokens per joule",
  meanPower: "Mean power", idle: "Idle", unattributed: "Unattributed", attributed: "Attributed", window: "Window",
  tokensUnit: "tokens/J", overTime: "over {time}", iterationsMarked: "{count} iterations of {time}, marked in the trace",
  iterationsPeriod: "{count} iterations of {time}, found by their period", iterationsOther: "{count} iterations of {time}",
  idlePower: "{power} while nothing runs", idleNothing: "no idle time was found", ofTotal: "{share} of the total",
  unattributedSub: "measured, but not explained", busy: "GPU busy", busyOf: "{busy} of {span}", kernels: "Kernel launches",
  kernelsOf: "{count} names", perIterationTime: "Iteration", communication: "Communication", exposed: "{time} of it exposed",
  joulesPerToken: "{value} per token",
  // trust
  trust: "How far to trust these numbers",
  trustGood: "Well founded", trustCare: "With care", trustPartly: "Only in part", trustTime: "Times only",
  trustCounter: "The total is the difference of the GPU’s own energy counter.",
  trustIntegral: "The total is the integral of power readings; there was no energy counter.",
  trustMixed: "The total comes from energy counters on some GPUs and from power readings on others.",
  trustNone: "No energy was measured, so none is shown: durations are as the profiler recorded them.",
  trustSpread: "A typical joule is given to its kernel class (or tied group) to within ± {share}.",
  trustUnattributed: "{share} of the energy fits neither kernels nor idling.",
  trustTied: "{count} classes cannot be told apart by these readings; for them, trust the sum of their group.",
  trustLedger: "The ledger has {errors}, {warnings} and {notes}.",
  trustClean: "The ledger has no warning and no error, only {notes}.",
  errors: "{n} errors", error1: "1 error", warnings: "{n} warnings", warning1: "1 warning", notes: "{n} notes", note1: "1 note",
  seeLedger: "See the ledger",
  // breakdown
  breakdown: "Where it went", breakdownIntro: "Phase, then category of work, then kernel class. Choose a block to look inside.",
  everything: "Everything", measure: "Measure", joules: "Joules", seconds: "Seconds", part: "Part", value: "Value", share: "Share",
  lookInside: "Look inside {name}", classesMore: "{count} smaller ones", breakdownLabel: "Treemap of {what} by {levels}",
  path: "Path", small: "smaller ones",
  // layers
  layers: "Layers and phases", layersIntro: "Each layer’s share of each phase. Choose a cell or a layer to see its operators.",
  layersNone: "The trace names no layers and none were found, so there is no map of layers.",
  layer: "Layer", allPhases: "All", quantity: "Quantity", watts: "Watts", density: "J/FLOP",
  outlierNote: "▲▼ differ by more than 15 % from the median of the {count} layers of their kind.",
  outlierAbove: "{change} above the median of its kind", outlierBelow: "{change} below the median of its kind",
  coverNote: "The readings cover {share} of the launches’ time. Joules are those of this part; layers are compared by power × time.",
  operatorsOf: "Operators of {name}", operator: "Operator", launches: "Launches", time: "Time", power: "Power",
  scaleFrom: "from", scaleTo: "to", noFlops: "The trace has no shapes for these layers, so J/FLOP is not known.",
  // power
  powerOverTime: "Power over time", powerNone: "There is no power log, so there is no power to draw.",
  powerNoOverlap: "The power log does not cover the trace.", sensor: "Sensor", gpu: "GPU", zoomIn: "Zoom in", zoomOut: "Zoom out",
  zoomAll: "Whole log", zoomTrace: "The trace", panLeft: "Earlier", panRight: "Later", timeAxis: "Time (s)", powerAxis: "Power (W)",
  clockAxis: "Core clock (MHz)", iterations: "Iterations", reasons: "Clocks held by", limit: "Power limit {power}",
  powerHelp: "Drag to move, scroll with Ctrl to zoom; with the keyboard: arrows and + −. t = 0 is {origin}.",
  powerBuckets: "{name}: each point stands for {n} readings, smallest and largest kept.",
  powerTable: "Power in numbers", least: "Least", most: "Most", readings: "Readings", sensorCol: "Sensor",
  power_instant_w: "instantaneous", power_average_w: "one-second mean", power_draw_w: "power.draw", power_samples_w: "driver’s samples",
  power_counter_w: "from the energy counter", sm_mhz: "core clock", mem_mhz: "memory clock", temperature_c: "temperature",
  traceOnly: "When it ran", noPowerLanes: "There is no power log: this shows when iterations and phases ran.",
  reason_0: "GPU idle", reason_1: "set clocks", reason_2: "power cap", reason_3: "hardware slowdown", reason_4: "sync boost",
  reason_5: "thermal (software)", reason_6: "thermal (hardware)", reason_7: "power brake", reason_8: "display clocks", reason_x: "reason {bits}",
  // table
  gpusTogether: "All GPUs together", gpusEach: "Each GPU",
  table: "Every figure", search: "Search names", view: "View", viewClass: "Kernel classes", viewOperator: "Operators",
  viewLayer: "Layers", viewPhase: "Phases", viewCategory: "Categories", viewIteration: "Iterations",
  copyCsv: "Copy as CSV", copied: "Copied {count} rows", copyFailed: "The browser does not allow copying; the text is selected below.",
  rowsShown: "{shown} of {count} rows", name: "Name", noRows: "No name matches.", perLaunch: "Per launch", flagsCol: "Flags",
  printedOnly: "On paper: the first {shown} of {count} rows.",
  // details
  details: "Details", close: "Close", fullName: "Full name", energyWith: "Energy, 95 % interval", powerWith: "Power, 95 % interval",
  powerReference: "Power at {clock}", referenceTop: "the highest clock", category: "Category", phase: "Phase", byTimeShare: "By time share",
  byTimeShareNote: "what mean busy power × time would say, as other tools report", howCame: "How it came about",
  whereUsed: "Where it ran", grid: "Launch shape", flops: "Floating-point operations", tiedWith: "Tied with",
  // origin
  origin: "How the numbers were obtained", inputs: "Inputs", traceFile: "Trace", powerFile: "Power log", accounts: "Energy by GPU",
  command: "Command", source: "Source", sensorLag: "The readings lag by {lag} ms and come {delay} ms late; the fit allows for that.",
  fileKernels: "{kernels} kernels of {names} names", fileSamples: "{samples} readings, longest gap {gap}", missing: "{count} missing",
  counterVsIntegral: "counter {counter}, integral of power {integral}", explanations: "How each class was measured",
  made: "Made by kernwatt {version} on {date}", total: "Total", idleCol: "Idle", idleW: "Idle power",
  // ledger
  ledger: "Quality ledger", ledgerIntro: "Every loss, guess, repair and doubt.", ledgerEmpty: "Nothing was lost, guessed or repaired.",
  sev_error: "error", sev_warning: "warning", sev_info: "note", times: "× {count}",
  // comparison
  titleCompare: "What changed", before: "Before", after: "After", changes: "Largest changes", change: "Change", timeChange: "Time change",
  barsIntro: "Second minus first; bars to the right are more. The line on each bar is the 95 % interval; pale bars may be no change at all.",
  perRecording: "whole recording", perIterationOf: "per iteration", perTokenOf: "per token", maybeNone: "may be no change",
  classesMatched: "Classes in both", classesRenamed: "Renamed or reshaped", classesGone: "Gone", classesNew: "New", iterationCount: "{count} iterations",
  match_same: "same", "match_other-shape": "other launch shape", match_renumbered: "renumbered", "match_same-role": "taken for the same by its role",
  "match_same-order": "taken for the same by its place", match_gone: "gone", match_new: "new",
  // flags
  flag_tied: "the data cannot tell these rows apart", "flag_power-capped": "the power limit held its clocks down while it ran",
  flag_exposed: "communication while no other kernel ran", flag_overlapped: "communication under other kernels",
  flag_tiled: "the traced iterations were laid over the whole log", flag_tiny: "too short to be measured on its own",
  flag_guessed: "its place in the program was guessed; the ledger says how",
  flag_pooled: "too little time for a power of its own; fitted together with classes of its kind",
  "flag_flops-estimated": "FLOPs estimated from the model’s size: the trace has no shapes", flag_outside: "not within any iteration",
  flag_idle: "idle", flag_unattributed: "not explained",
};

export type Message = keyof typeof en;

const zh: Record<Message, string> = {
  title: "能耗去向",
  titleTime: "时间去向",
  subtitleTime: "仅有时间：本次记录没有测得能耗。",
  theme: "主题", themeAuto: "自动", themeLight: "浅色", themeDark: "深色", language: "语言",
  skip: "跳到正文", contents: "目录",
  summary: "概览", energy: "能耗", perIteration: "每次迭代", tokensPerJoule: "每焦耳词元数",
  meanPower: "平均功率", idle: "空闲", unattributed: "未归因", attributed: "已归因", window: "时间窗口",
  tokensUnit: "词元/J", overTime: "历时 {time}", iterationsMarked: "{count} 次迭代，每次 {time}（由轨迹标记）",
  iterationsPeriod: "{count} 次迭代，每次 {time}（由周期识别）", iterationsOther: "{count} 次迭代，每次 {time}",
  idlePower: "空闲时功率 {power}", idleNothing: "未发现空闲时间", ofTotal: "占总量的 {share}",
  unattributedSub: "已测得但无法解释", busy: "GPU 忙碌", busyOf: "{span} 中的 {busy}", kernels: "内核启动次数",
  kernelsOf: "共 {count} 个名称", perIterationTime: "迭代时长", communication: "通信", exposed: "其中 {time} 未被掩盖",
  joulesPerToken: "每词元 {value}",
  trust: "这些数字有多可信",
  trustGood: "依据充分", trustCare: "谨慎使用", trustPartly: "仅部分可信", trustTime: "仅有时间",
  trustCounter: "总能耗取自 GPU 自身能量计数器的差值。",
  trustIntegral: "总能耗由功率读数积分得到；没有能量计数器。",
  trustMixed: "总能耗在部分 GPU 上取自能量计数器，在其余 GPU 上由功率读数得到。",
  trustNone: "没有测量能耗，因此不显示能耗；时长即性能分析器的记录。",
  trustSpread: "分配到各内核类（或不可区分的组）的能耗，典型误差在 ± {share} 以内。",
  trustUnattributed: "有 {share} 的能耗既不属于内核也不属于空闲。",
  trustTied: "有 {count} 个内核类无法由这些读数区分；请以其所在组的总和为准。",
  trustLedger: "质量台账中有 {errors}、{warnings}和{notes}。",
  trustClean: "质量台账中没有警告和错误，只有{notes}。",
  errors: "{n} 个错误", error1: "1 个错误", warnings: "{n} 条警告", warning1: "1 条警告", notes: "{n} 条说明", note1: "1 条说明",
  seeLedger: "查看质量台账",
  breakdown: "去向分解", breakdownIntro: "先按阶段，再按工作类别，最后按内核类。选择一个区块可查看其内部。",
  everything: "全部", measure: "度量", joules: "焦耳", seconds: "秒", part: "部分", value: "数值", share: "占比",
  lookInside: "查看 {name} 的内部", classesMore: "{count} 个较小的项", breakdownLabel: "按{levels}划分的{what}矩形树图",
  path: "路径", small: "较小的项",
  layers: "层与阶段", layersIntro: "每一层在每个阶段中的用量。选择单元格或层可查看其算子。",
  layersNone: "轨迹没有标明层，也未能识别出层，因此没有层的热力图。",
  layer: "层", allPhases: "合计", quantity: "物理量", watts: "瓦", density: "J/FLOP",
  outlierNote: "▲▼ 表示与同类 {count} 层的中位数相差超过 15 %。",
  outlierAbove: "比同类中位数高 {change}", outlierBelow: "比同类中位数低 {change}",
  coverNote: "读数覆盖了内核时间的 {share}。焦耳数仅为这一部分；各层按功率 × 时间比较。",
  operatorsOf: "{name} 的算子", operator: "算子", launches: "启动次数", time: "时间", power: "功率",
  scaleFrom: "从", scaleTo: "到", noFlops: "轨迹没有这些层的张量形状，因此 J/FLOP 未知。",
  powerOverTime: "功率随时间的变化", powerNone: "没有功率日志，因此无法绘制功率。",
  powerNoOverlap: "功率日志没有覆盖轨迹所在的时间。", sensor: "传感器", gpu: "GPU", zoomIn: "放大", zoomOut: "缩小",
  zoomAll: "整个日志", zoomTrace: "轨迹范围", panLeft: "更早", panRight: "更晚", timeAxis: "时间 (s)", powerAxis: "功率 (W)",
  clockAxis: "核心频率 (MHz)", iterations: "迭代", reasons: "频率受限于", limit: "功率上限 {power}",
  powerHelp: "拖动可平移，按住 Ctrl 滚动可缩放；键盘：方向键与 + −。t = 0 对应 {origin}。",
  powerBuckets: "{name}：每个点代表 {n} 个读数，保留最小值和最大值。",
  powerTable: "功率数值", least: "最小", most: "最大", readings: "读数", sensorCol: "传感器",
  power_instant_w: "瞬时功率", power_average_w: "一秒均值", power_draw_w: "power.draw", power_samples_w: "驱动采样",
  power_counter_w: "由能量计数器得出", sm_mhz: "核心频率", mem_mhz: "显存频率", temperature_c: "温度",
  traceOnly: "运行时间线", noPowerLanes: "没有功率日志：此处显示各迭代和各阶段的运行时间。",
  reason_0: "GPU 空闲", reason_1: "应用设定频率", reason_2: "功率上限", reason_3: "硬件降频", reason_4: "同步加速",
  reason_5: "温度（软件）", reason_6: "温度（硬件）", reason_7: "供电制动", reason_8: "显示频率", reason_x: "原因 {bits}",
  gpusTogether: "所有 GPU 合计", gpusEach: "逐个 GPU",
  table: "全部数据", search: "搜索名称", view: "视图", viewClass: "内核类", viewOperator: "算子",
  viewLayer: "层", viewPhase: "阶段", viewCategory: "类别", viewIteration: "迭代",
  copyCsv: "复制为 CSV", copied: "已复制 {count} 行", copyFailed: "浏览器不允许复制；下方文本已选中。",
  rowsShown: "{count} 行中的 {shown} 行", name: "名称", noRows: "没有匹配的名称。", perLaunch: "每次启动", flagsCol: "标记",
  printedOnly: "打印时仅列出 {count} 行中的前 {shown} 行。",
  details: "详情", close: "关闭", fullName: "完整名称", energyWith: "能耗及 95 % 区间", powerWith: "功率及 95 % 区间",
  powerReference: "{clock} 下的功率", referenceTop: "最高频率", category: "类别", phase: "阶段", byTimeShare: "按时间占比",
  byTimeShareNote: "即其他工具的算法：平均忙碌功率 × 时间", howCame: "数值由来",
  whereUsed: "运行位置", grid: "启动形状", flops: "浮点运算次数", tiedWith: "不可区分的同组",
  origin: "数字从何而来", inputs: "输入", traceFile: "轨迹", powerFile: "功率日志", accounts: "各 GPU 的能耗",
  command: "命令", source: "来源", sensorLag: "读数滞后 {lag} ms、延迟 {delay} ms；拟合时已计入。",
  fileKernels: "{kernels} 次内核启动，{names} 个名称", fileSamples: "{samples} 个读数，最长间隔 {gap}", missing: "缺失 {count} 个",
  counterVsIntegral: "计数器 {counter}，功率积分 {integral}", explanations: "各内核类如何测得",
  made: "由 kernwatt {version} 生成于 {date}", total: "合计", idleCol: "空闲", idleW: "空闲功率",
  ledger: "质量台账", ledgerIntro: "每一处丢失、猜测、修复和疑问。", ledgerEmpty: "没有任何丢失、猜测或修复。",
  sev_error: "错误", sev_warning: "警告", sev_info: "说明", times: "× {count}",
  titleCompare: "前后对比", before: "之前", after: "之后", changes: "变化最大的部分", change: "变化", timeChange: "时间变化",
  barsIntro: "后者减前者；向右表示增加。条上的线是 95 % 区间；浅色的条可能并无变化。",
  perRecording: "整个记录", perIterationOf: "每次迭代", perTokenOf: "每词元", maybeNone: "可能并无变化",
  classesMatched: "两者共有的类", classesRenamed: "改名或改形状", classesGone: "消失", classesNew: "新增", iterationCount: "{count} 次迭代",
  match_same: "相同", "match_other-shape": "启动形状不同", match_renumbered: "仅编号不同", "match_same-role": "按作用视为同一个",
  "match_same-order": "按位置视为同一个", match_gone: "消失", match_new: "新增",
  flag_tied: "数据无法区分这些行", "flag_power-capped": "运行时频率被功率上限压低",
  flag_exposed: "没有其他内核运行时的通信", flag_overlapped: "被其他内核掩盖的通信",
  flag_tiled: "将轨迹中的迭代平铺到整个日志", flag_tiny: "太短，无法单独测量",
  flag_guessed: "在程序中的位置是推测的；台账说明了方法",
  flag_pooled: "时间太少，与同类内核一起拟合",
  "flag_flops-estimated": "FLOPs 由模型规模估算：轨迹没有形状", flag_outside: "不属于任何迭代",
  flag_idle: "空闲", flag_unattributed: "无法解释",
};

/** Words that the data uses for phases, categories and rests; in English they stay as they are. */
const zhWords: Record<string, string> = {
  communication: "通信", idle: "空闲", unattributed: "未归因",
  "matrix product": "矩阵乘法", attention: "注意力", normalisation: "归一化", "element-wise": "逐元素",
  reduction: "归约", copy: "拷贝", optimizer: "优化器", other: "其他", forward: "前向", backward: "反向",
  prefill: "预填充", decode: "解码", "data loading": "数据加载", compute: "计算", "execution-idle": "执行间空闲",
  "launch gaps": "启动间隙", "communication (exposed)": "通信（未掩盖）",
  "communication (overlapped)": "通信（被掩盖）", "(no layer)": "（无层）", "(no operator)": "（无算子）",
  "outside iterations": "迭代之外",
};

export type Language = "en" | "zh";
const tables = { en, zh };
let current: Language = "en";

export function preferredLanguage(): Language {
  for (const language of navigator.languages ?? [navigator.language]) {
    if (language.toLowerCase().startsWith("zh")) return "zh";
    if (language.toLowerCase().startsWith("en")) return "en";
  }
  return "en";
}

export function setLanguage(language: Language): void {
  current = language;
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}
export const language = (): Language => current;

export function t(message: Message, values: Record<string, string | number> = {}): string {
  return tables[current][message].replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? String(values[name]) : whole);
}

/** A word of the data (a phase, a category) in the reader's language, where it is one of ours. */
export function word(name: string): string {
  return current === "zh" && Object.prototype.hasOwnProperty.call(zhWords, name) ? zhWords[name] : name;
}
