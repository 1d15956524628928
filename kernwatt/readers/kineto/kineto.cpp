// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/readers/kineto/kineto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "kernwatt/readers/assembly/trace_assembler.hpp"
#include "kernwatt/readers/kineto/careful_event.hpp"
#include "kernwatt/readers/kineto/collector.hpp"
#include "kernwatt/readers/kineto/decimal.hpp"
#include "kernwatt/readers/kineto/document_splitter.hpp"
#include "kernwatt/readers/kineto/metadata.hpp"
#include "kernwatt/readers/kineto/plain_event.hpp"
#include "kernwatt/readers/kineto/quality_notes.hpp"

namespace kernwatt::readers {
namespace {

using namespace kineto;

class KinetoReader {
 public:
  KinetoReader(ByteSource& source, const Progress& progress)
      : splitter_(source, progress), collector_(records_, source) {}

  Status read_document() {
    for (;;) {
      KERNWATT_TRY(const Piece* piece, splitter_.next());
      if (piece == nullptr) return check_usable();
      if (piece->kind == PieceKind::member) {
        read_member(piece->key, piece->text, metadata_);
      } else {
        read_event(*piece);
      }
    }
  }

  void finish(run::Trace& trace) {
    trace.rank = metadata_.rank;
    trace.world_size = metadata_.world_size;
    constexpr std::int64_t two_microseconds = 2000;  // older files have whole microseconds for start and duration
    records_.rounding_ns = two_microseconds;
    records_.base_time_ns = metadata_.base_time_ns;
    name_gpus();
    const AssemblyFacts assembly = assemble(records_, trace);
    note_quality({splitter_.facts(), metadata_, records_.counts, assembly, broken_}, trace);
  }

 private:
  void read_event(const Piece& piece);
  void read_irregular(const Piece& piece);
  void note_repairs(const TextRepairs& repairs, std::string_view name);
  void note_broken(const Piece& piece, std::size_t length);
  Status check_usable() const;
  void name_gpus();

  DocumentSplitter splitter_;
  Records records_;
  Collector collector_;
  Metadata metadata_;
  BrokenEvents broken_;
  EventFields fields_;
  PlainEventParser plain_;
  CarefulEventParser careful_;
};

void KinetoReader::read_event(const Piece& piece) {
  if (piece.flags != 0 || piece.guessed_end) return read_irregular(piece);
  const ParseOutcome outcome = plain_.parse(piece.text, fields_);
  if (outcome == ParseOutcome::irregular) return read_irregular(piece);
  collector_.count(fields_);
  if (outcome == ParseOutcome::parsed) collector_.add(fields_);
}

void KinetoReader::read_irregular(const Piece& piece) {
  TextRepairs repairs;
  if (piece.torn && piece.text.empty()) return;
  if (!careful_.parse(piece.text, fields_, repairs)) {
    const std::size_t length = splitter_.reject(piece);
    if (!piece.torn) note_broken(piece, length);
    return;
  }
  note_repairs(repairs, fields_.name);
  collector_.count(fields_);
  collector_.add(fields_);
}

void KinetoReader::note_repairs(const TextRepairs& repairs, std::string_view name) {
  EventCounts& counts = records_.counts;
  if (repairs.control_characters) counts.control_characters.add(name);
  if (repairs.invalid_utf8) counts.invalid_utf8.add(name);
  if (repairs.backslashes) counts.backslashes.add(name);
  if (repairs.not_numbers) counts.not_numbers.add(name);
}

void KinetoReader::note_broken(const Piece& piece, std::size_t length) {
  if (broken_.count++ > 0) return;
  const auto fault = find_json_fault(piece.text.substr(0, length));
  broken_.first = splitter_.place_in(piece, fault ? fault->index : 0);
  broken_.first_expected = fault ? std::string(fault->expected) : "valid JSON";
}

Status KinetoReader::check_usable() const {
  const DocumentFacts& document = splitter_.facts();
  if (!document.has_events) {
    if (document.damaged_at) {
      return Error{ErrorCode::bad_data,
                   fmt::format("is damaged at {}, and no \"traceEvents\" follow", describe(*document.damaged_at)),
                   {}};
    }
    if (document.torn_at) {
      return Error{
          ErrorCode::bad_data,
          fmt::format("ends at {}, before any event: it was not written completely", describe(*document.torn_at)),
          {}};
    }
    return Error{ErrorCode::bad_data,
                 fmt::format("is JSON but no trace: it has no \"traceEvents\" (its members: {})",
                             fmt::join(metadata_.keys, ", ")),
                 {}};
  }
  if (records_.counts.events > 0) return {};
  if (broken_.count > 0) {
    return Error{ErrorCode::bad_data,
                 fmt::format("none of its events is JSON: {} was expected at {}", broken_.first_expected,
                             describe(broken_.first)),
                 {}};
  }
  if (document.torn_at) {
    return Error{ErrorCode::bad_data,
                 fmt::format("ends at {}, before the end of its first event", describe(*document.torn_at)),
                 {}};
  }
  return {};
}

/// The GPUs that did something; deviceProperties also lists those that did not.
void KinetoReader::name_gpus() {
  std::unordered_map<std::uint32_t, std::uint32_t> gpu_of_device;
  for (StreamRecord& record : records_.streams) {
    const auto [found, is_new] =
        gpu_of_device.try_emplace(record.gpu, static_cast<std::uint32_t>(records_.gpus.size()));
    if (is_new) {
      run::GpuIdentity gpu;
      const auto number = integer(records_.strings.at(record.gpu));
      if (number && *number >= 0 && *number <= std::numeric_limits<int>::max()) gpu.index = static_cast<int>(*number);
      const auto known = std::find_if(metadata_.devices.begin(), metadata_.devices.end(), [&](const auto& device) {
        return gpu.index.has_value() && device.index == gpu.index;
      });
      records_.gpus.push_back(known != metadata_.devices.end() ? *known : gpu);
    }
    record.gpu = found->second;
  }
}

}  // namespace

Result<run::Trace> read_kineto(ByteSource& source, std::string file, const Progress& progress) {
  KinetoReader reader(source, progress);
  run::Trace trace;
  trace.format = "kineto";
  if (auto status = reader.read_document(); !status) {
    Error error = std::move(status).error();
    error.where = file;
    if (const std::string damage = source.damage(); !damage.empty()) error.message += "; " + damage;
    return error;
  }
  trace.file = std::move(file);
  source.report_damage(trace.quality);
  reader.finish(trace);
  return trace;
}

}  // namespace kernwatt::readers
