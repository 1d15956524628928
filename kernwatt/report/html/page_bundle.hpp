// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The page of page/, bundled by page/build.mjs into page_bundle.cpp: an HTML file cut at its title and at its data.
namespace kernwatt::report::embedded {

extern const std::string_view page_before_title;
extern const std::string_view page_before_data;
extern const std::string_view page_after_data;

}  // namespace kernwatt::report::embedded
