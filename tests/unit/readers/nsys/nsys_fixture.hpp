// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "kernwatt/readers/io/byte_source.hpp"
#include "kernwatt/readers/nsys/nsys.hpp"
#include "tests/unit/readers/trace_fixture.hpp"

namespace kernwatt::readers {

/// A global id as Nsight Systems makes it.
inline std::int64_t global_id(std::int64_t pid, std::int64_t tid = 0) {
  constexpr std::int64_t machine = std::int64_t{1} << 48U;
  return machine + (pid << 24U) + tid;
}

/// An export made by hand, in SQL.
class Recording {
 public:
  Recording() { sqlite3_open(":memory:", &handle_); }
  ~Recording() { sqlite3_close(handle_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Recording& sql(const std::string& text) {
    char* message = nullptr;
    if (sqlite3_exec(handle_, text.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
      ADD_FAILURE() << (message != nullptr ? message : "sqlite") << " in " << text;
    }
    sqlite3_free(message);
    return *this;
  }

  /// The tables as version 2024 writes them, as far as they are read.
  Recording& with_tables() {
    return sql(R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, registersPerThread INTEGER NOT NULL,
  gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL,
  blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
  dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER, graphId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, text TEXT,
  globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000, '2023-11-14T22:13:20', '2023-11-14T22:13:20');
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'void gemm<4>(float*)'), (3, 'gemm'),
  (4, 'cudaGraphLaunch_v10000'), (5, 'void add<2>(float*)'), (6, 'add'), (7, 'registered range');)");
  }

  struct Kernel {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t correlation = 0;
    int name = 2;
    std::int64_t pid = 100;
    int device = 0;
    int stream = 7;
    std::string graph_node = "NULL";
    std::string graph = "NULL";
  };
  Recording& kernel(const Kernel& k) {
    return sql(
        fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                    "({},{},{},1,{},{},{},{},{},NULL,32,8,2,1,128,1,1,1024,512,{},{})",
                    k.start, k.end, k.device, k.stream, k.correlation, global_id(k.pid), k.name, k.name + 1,
                    k.graph_node, k.graph));
  }
  Recording& launch(std::int64_t start, std::int64_t correlation, std::int64_t tid = 100, std::int64_t pid = 100,
                    int name = 1) {
    return sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({},{},0,{},{},{},0)", start, start + 5,
                           global_id(pid, tid), correlation, name));
  }
  Recording& range(std::string_view text, std::int64_t start, std::int64_t end, std::int64_t tid = 100,
                   std::int64_t pid = 100) {
    return sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({},{},59,NULL,'{}',{},NULL,NULL,0)", start, end, text,
                           global_id(pid, tid)));
  }

  /// The database's file, as bytes.
  std::string bytes() const {
    sqlite3_int64 size = 0;
    unsigned char* data = sqlite3_serialize(handle_, "main", &size, 0);
    std::string result(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    sqlite3_free(data);
    return result;
  }
  Result<run::Trace> read() const { return read_bytes(bytes()); }
  static Result<run::Trace> read_bytes(std::string bytes) {
    KERNWATT_TRY(const auto source, ByteSource::from_memory(std::move(bytes)));
    return read_nsys(*source, "test.sqlite", {});
  }

 private:
  sqlite3* handle_ = nullptr;
};

}  // namespace kernwatt::readers
