// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernwatt/readers/csv/number.hpp"
#include "kernwatt/readers/csv/text_decoder.hpp"
#include "kernwatt/readers/power/dmon/dmon.hpp"
#include "kernwatt/readers/power/dmon/words.hpp"
#include "kernwatt/readers/power/header_name.hpp"
#include "kernwatt/readers/power/log_collector.hpp"
#include "kernwatt/readers/power/log_notes.hpp"
#include "kernwatt/readers/power/text_lines.hpp"

namespace kernwatt::readers {

namespace {

struct ShortName {
  std::string_view name;
  ColumnRole role;
};

// The short names that DCGM gives its fields (dcgm_fields.cpp). TOTEC is in mJ.
constexpr std::array short_names{ShortName{"power", ColumnRole::power_draw},
                                 ShortName{"powr", ColumnRole::power_draw},
                                 ShortName{"pwrin", ColumnRole::power_instant},
                                 ShortName{"powin", ColumnRole::power_instant},
                                 ShortName{"powinst", ColumnRole::power_instant},
                                 ShortName{"totec", ColumnRole::energy},
                                 ShortName{"smclk", ColumnRole::sm_clock},
                                 ShortName{"mmclk", ColumnRole::memory_clock},
                                 ShortName{"memclk", ColumnRole::memory_clock},
                                 ShortName{"tmptr", ColumnRole::temperature},
                                 ShortName{"dvccer", ColumnRole::event_reasons},
                                 ShortName{"dvcctr", ColumnRole::event_reasons},
                                 ShortName{"pmlmt", ColumnRole::power_limit},
                                 ShortName{"powlt", ColumnRole::power_limit},
                                 ShortName{"enplt", ColumnRole::enforced_power_limit}};

class DcgmiReading {
 public:
  explicit DcgmiReading(LogCollector& log) : log_(log) {}

  void line(std::string_view text, bool terminated);
  void finish();
  std::uint64_t headers() const { return headers_; }

 private:
  void header(const std::vector<std::string_view>& words);
  void row(const std::vector<std::string_view>& words, std::size_t entity, bool terminated);
  void note_counter(std::size_t gpu, const CellValue& value);

  struct Counter {
    std::int64_t first_mj = 0;
    std::int64_t last_mj = 0;
    std::uint64_t readings = 0;
    bool rising = true;
  };

  LogCollector& log_;
  std::vector<Column> columns_;  // behind the entity
  std::vector<Reading> readings_;
  std::vector<Counter> counters_;
  std::uint64_t headers_ = 0;
  std::uint64_t instances_ = 0;
  std::uint64_t bad_rows_ = 0;
  std::string first_bad_;
};

void DcgmiReading::header(const std::vector<std::string_view>& words) {
  ++headers_;
  columns_.clear();
  for (std::size_t i = 1; i < words.size(); ++i) {
    Column column;
    column.header = visible_text(words[i]);
    column.unit_known = true;
    const std::string name = lower(words[i]);
    const auto known =
        std::find_if(short_names.begin(), short_names.end(), [&](const ShortName& n) { return n.name == name; });
    const bool twice =
        known != short_names.end() &&
        std::any_of(columns_.begin(), columns_.end(), [&](const Column& c) { return c.role == known->role; });
    if (known != short_names.end() && !twice) column.role = known->role;
    columns_.push_back(std::move(column));
  }
}

void DcgmiReading::note_counter(std::size_t gpu, const CellValue& value) {
  if (value.kind != CellKind::number) return;
  if (counters_.size() <= gpu) counters_.resize(gpu + 1);
  Counter& counter = counters_[gpu];
  if (counter.readings++ == 0) counter.first_mj = counter.last_mj = value.energy_mj;
  counter.rising &= value.energy_mj >= counter.last_mj;
  counter.last_mj = value.energy_mj;
}

// "GPU 0" is two words, so a row has one more than the header.
void DcgmiReading::row(const std::vector<std::string_view>& words, std::size_t entity, bool terminated) {
  const auto number = parse_int64(words[entity + 1]);
  const std::size_t values = words.size() - entity - 2;
  if (!number || *number < 0 || *number > 100'000 || values != columns_.size()) {
    if (!terminated) {
      log_.quality().add("power.torn-row", Severity::warning, "the last row lost its end and was left out");
    } else if (bad_rows_++ == 0) {
      first_bad_ = visible_text(fmt::format("{}", fmt::join(words, " ")).substr(0, 120));
    }
    return;
  }
  std::optional<Timestamp> stamp;
  if (entity > 0) {
    const char* const begin = words.front().data();
    const auto length = static_cast<std::size_t>(words[entity].data() - begin);
    stamp = parse_timestamp(trim(std::string_view(begin, length)), TimeUnit::guess);
  }
  run::GpuIdentity identity;
  identity.index = static_cast<int>(*number);
  const std::size_t gpu = log_.gpu(identity);
  readings_.clear();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].role == ColumnRole::ignored) continue;
    readings_.push_back({&columns_[i], read_cell(words[entity + 2 + i], columns_[i])});
    if (columns_[i].role == ColumnRole::energy && !stamp) note_counter(gpu, readings_.back().value);
  }
  log_.add(gpu, stamp, readings_);
}

void DcgmiReading::line(std::string_view text, bool terminated) {
  text = trim(text);
  if (text.empty()) return;
  auto words = words_of_row(text);
  if (lower(words.front()) == "#entity" || (words.front() == "#" && words.size() > 1 && lower(words[1]) == "entity")) {
    if (words.front() == "#") words.erase(words.begin());
    header(words);
    return;
  }
  const auto entity = std::find_if(words.begin(), words.end(), [](std::string_view w) {
    return w == "GPU" || w == "GPU-I" || w == "GPU-CI" || w == "CI" || w == "GPU_I" || w == "GPU_CI";
  });
  if (columns_.empty() || entity == words.end() || entity + 1 == words.end()) return;  // units, a banner
  if (*entity != "GPU") {
    ++instances_;
    return;
  }
  row(words, static_cast<std::size_t>(entity - words.begin()), terminated);
}

void DcgmiReading::finish() {
  if (bad_rows_ > 0) {
    log_.quality().add("power.bad-rows", Severity::warning,
                       fmt::format("rows that do not fit the header were left out; the first is {}", first_bad_),
                       bad_rows_);
  }
  if (instances_ > 0) {
    log_.quality().add("power.instances-skipped", Severity::info,
                       "rows of GPU instances (MIG) were passed over: they are parts of a GPU", instances_);
  }
  if (headers_ > 1) {
    log_.quality().add("power.header-repeated", Severity::info, "the header comes again among the rows", headers_ - 1);
  }
  // A counter's difference is an energy without any time; between which moments is not known.
  for (std::size_t gpu = 0; gpu < counters_.size(); ++gpu) {
    const Counter& counter = counters_[gpu];
    if (counter.readings < 2 || !counter.rising || counter.last_mj == counter.first_mj) continue;
    run::RecordedTotal total;
    total.name = "energy counter, first to last reading";
    total.gpu = log_.identity(gpu);
    total.energy_j = static_cast<double>(counter.last_mj - counter.first_mj) * 1e-3;
    log_.totals().push_back(std::move(total));
  }
}

}  // namespace

Result<run::PowerLog> read_dcgmi_dmon(ByteSource& source, const std::string& file, bool format_was_given,
                                      const Progress& progress) {
  LogCollector log(dcgmi_dmon_format);
  DcgmiReading reading(log);
  TextLines lines(source, progress);
  KERNWATT_CHECK(lines.each([&](std::string_view line) { reading.line(line, lines.terminated()); }));
  reading.finish();
  note_decoding(lines.decoder(), log.quality());
  return log.finish(file, format_was_given, source,
                    reading.headers() == 0
                        ? "no line is a header of dcgmi dmon (#Entity …)"
                        : "dcgmi dmon's header and no row of a GPU: nothing was logged, or for other entities only");
}

}  // namespace kernwatt::readers
