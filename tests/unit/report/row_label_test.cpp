// SPDX-FileCopyrightText: The kernwatt authors
// SPDX-License-Identifier: Apache-2.0
#include "kernwatt/report/text/row_label.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "kernwatt/report/utf8.hpp"

namespace kernwatt::report {
namespace {

std::vector<std::string> labels(const std::vector<std::string>& names, std::size_t width) {
  std::vector<NamedRow> rows;
  for (const std::string& name : names)
    rows.push_back({name, name, "", static_cast<std::uint32_t>(rows.size()), width});
  return distinct_labels(rows);
}

TEST(KernelName, LosesWhatSaysNothing) {
  EXPECT_EQ(
      readable_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
                           "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)"),
      "vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1ul>>");
  EXPECT_EQ(readable_kernel_name("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, (int)4>(float*)"),
            "CatArrayBatchedCopy<float, 4>");
  EXPECT_EQ(readable_kernel_name("void at::native::vectorized_elementwise_kernel<8, "
                                 "at::native::GeluImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#1}::"
                                 "operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int)"),
            "vectorized_elementwise_kernel<8, GeluImpl, array<char*, 2ul>>");
  EXPECT_EQ(readable_kernel_name("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            "ncclDevKernel_AllGather_RING_LL");
}

TEST(KernelName, ThatIsNotCxxStaysAsItIs) {
  for (const char* name : {"Memcpy HtoD (Pinned -> Device)", "Memset (Device)", "nvjet_tst_192x192_64x4_2x1_v_bz_TNT",
                           "triton_poi_fused_add_0", "my kernel (v2)", ""})
    EXPECT_EQ(readable_kernel_name(name), name);
}

TEST(KernelName, IsFoldedFromTheInside) {
  const std::string name = "vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1ul>>";
  EXPECT_EQ(shorten_kernel_name(name, 80), name);
  EXPECT_EQ(shorten_kernel_name(name, 60), "vectoriz…<FillFunctor<float>, …>");
  EXPECT_EQ(shorten_kernel_name(name, 40), "vectoriz…<FillFunctor<float>, …>");
  EXPECT_EQ(shorten_kernel_name("layer_norm_kernel<BFloat16, float, false>", 34), "layer_norm_kernel<BFloat16, …>");
  EXPECT_EQ(shorten_kernel_name("layer_norm_kernel<BFloat16, float, false>", 22), "layer_norm_kernel<…>");
}

TEST(KernelName, BracketsThatDoNotMatchDoNoHarm) {
  for (const char* name :
       {"f<<<1", "operator<", "a->b<c", ">>>><<<<", "f<a<b<c", "void (", "void f(((", "::", "void "}) {
    const std::string readable = readable_kernel_name(name);
    for (std::size_t width = 0; width < 12; ++width)
      EXPECT_LE(display_width(shorten_kernel_name(readable, width)), width);
  }
}

TEST(RowLabel, NamesThatShortenToTheSameShowTheirDifference) {
  const std::string head = "flash_fwd_kernel<Flash_fwd_kernel_traits<";
  const std::string tail = ", 64, 4, false, false, bfloat16_t>, false, true, false, false, true>";
  const std::vector<std::string> shown = labels({head + "128, 128" + tail, head + "64, 128" + tail}, 40);
  EXPECT_THAT(shown[0], testing::HasSubstr("…128…"));
  EXPECT_THAT(shown[1], testing::HasSubstr("…64…"));
}

TEST(RowLabel, RowsOfOneNameAreToldApartByTheirId) {
  EXPECT_THAT(labels({"same", "same", "other"}, 30), testing::ElementsAre("same #0", "same #1", "other"));
}

TEST(RowLabel, NoTwoAreTheSameAndNoneIsTooWide) {
  std::mt19937 engine(3);
  const std::string pieces[] = {
      "gemm", "<", ">", ", ", "中文", "::", "Functor", "float", "(", ")", " ", "xxxxxxxxxxxxxxxx"};
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i) {
      std::string name;
      for (auto k = engine() % 40; k > 0; --k) name += pieces[engine() % 12];
      names.push_back(i % 5 == 4 ? names.back() : name);
    }
    const std::size_t width = 16 + engine() % 40;
    const std::vector<std::string> shown = labels(names, width);
    EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), shown.size());
    for (const std::string& label : shown) EXPECT_LE(display_width(label), width) << label;
  }
}

}  // namespace
}  // namespace kernwatt::report
