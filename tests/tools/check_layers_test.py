#!/usr/bin/env python3
# SPDX-FileCopyrightText: The kernwatt authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that tools/check_layers.py finds what it is for, on small trees made here."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/check_layers.py"
TABLE = "core:\nrun: core\nreport: core run\napps/kernwatt: core run report\n"


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("tools/layers.txt", TABLE)
        self.write("kernwatt/core/units.hpp", "#pragma once\n#include <vector>\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self):
        done = subprocess.run([sys.executable, SCRIPT, self.root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_tree_that_keeps_to_the_table_passes(self):
        self.write("kernwatt/run/run.hpp", '#include "kernwatt/core/units.hpp"\n')
        self.write("apps/kernwatt/main.cpp", '#include "apps/kernwatt/command.hpp"\n#include "kernwatt/run/run.hpp"\n')
        self.assertEqual(self.check()[0], 0)

    def test_an_include_against_the_arrow_is_named_with_file_and_line(self):
        self.write("kernwatt/core/bad.cpp", '\n#include "kernwatt/run/run.hpp"\n')
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("kernwatt/core/bad.cpp:2: core may not include run", said)

    def test_spaces_and_angle_brackets_do_not_hide_an_include(self):
        self.write("kernwatt/run/bad.hpp", "  #  include <kernwatt/report/text.hpp>\n")
        self.assertIn("run may not include report", self.check()[1])

    def test_the_library_may_not_include_a_program(self):
        self.write("kernwatt/report/bad.cpp", '#include "apps/kernwatt/console.hpp"\n')
        self.assertIn("report may not include apps/kernwatt", self.check()[1])

    def test_a_nested_folder_belongs_to_its_module(self):
        self.write("kernwatt/report/text/bad.cpp", '#include "kernwatt/readers/read.hpp"\n')
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("kernwatt/readers/read.hpp, which is in no module", said)

    def test_a_path_from_the_side_is_refused(self):
        self.write("kernwatt/run/bad.cpp", '#include "../report/text.hpp"\n')
        self.assertIn("name it from the root", self.check()[1])

    def test_a_folder_without_a_line_in_the_table_is_refused(self):
        self.write("kernwatt/planner/plan.hpp", "#pragma once\n")
        self.assertIn("kernwatt/planner/plan.hpp:1: is in no module", self.check()[1])

    def test_a_wrong_table_is_an_error_of_its_own(self):
        for table in ("core\n", "core:\ncore:\n", "core: nowhere\n"):
            self.write("tools/layers.txt", table)
            self.assertEqual(self.check()[0], 2, table)

    def test_an_empty_tree_does_not_pass(self):
        (self.root / "kernwatt/core/units.hpp").unlink()
        self.assertEqual(self.check()[0], 2)


if __name__ == "__main__":
    unittest.main()
