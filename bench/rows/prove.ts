/** `tt doctor --prove` of every harness that the tests have installed, from the start of its process to its end. */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileOf, isInstalled } from "../../test/harness/support/installed.ts";
import { type HarnessName, WIRES } from "../../test/harness/support/wires/index.ts";
import { buildProgram } from "../built-program.ts";
import { milliseconds } from "../figure.ts";
import { bounded, skipped } from "../finding.ts";
import { nowUs } from "../marks.ts";
import type { Row } from "../row.ts";

const LIMIT_US = 30_000_000;
const NAMES = Object.keys(WIRES) as HarnessName[];
const WHAT = `tt doctor --prove, all ${NAMES.length} harnesses`;

export const prove: Row = {
  name: "prove",
  async measure(shop) {
    if (!isInstalled(...NAMES)) return [skipped(WHAT, "npm run install:harness installs them")];
    const built = buildProgram("prove");
    try {
      const home = shop.directory();
      const bin = join(home, "bin");
      mkdirSync(bin);
      for (const name of NAMES) symlinkSync(fileOf(name) ?? "", join(bin, name));
      const env = { HOME: home, PATH: `${bin}:${process.env["PATH"]}` };
      const startUs = nowUs();
      const { stdout } = spawnSync(process.execPath, [built.program, "doctor", "--prove", "--json"], {
        cwd: home,
        env,
      });
      const us = nowUs() - startUs;
      const { harnesses } = JSON.parse(stdout.toString()) as { harnesses: readonly object[] };
      if (harnesses.length !== NAMES.length) throw new Error(`only ${harnesses.length} harnesses were tried`);
      return [bounded(WHAT, milliseconds(us), milliseconds(LIMIT_US))];
    } finally {
      built.remove();
    }
  },
};
