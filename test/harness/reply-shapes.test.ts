/**
 * Which replies of a hook deny a tool and which leave it open, as the real programs take them, and which tools there are.
 * The guard depends on both: a new tool that writes must be named in the `tools.ts` of its harness. If a new
 * version of a harness changes anything, golden/replies-*.txt tells; `vitest -u` writes them again.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tryReplies } from "./support/guard/reply-shapes.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { NAMES } from "./support/support-table.ts";

const newWorld = harnessWorlds();

describe.each(NAMES)("%s", (name) => {
  it.skipIf(!isInstalled(name))(
    "takes each reply of a hook before a tool as it did, and has the same tools",
    async () => {
      const golden = join(import.meta.dirname, "golden", `replies-${name}.txt`);
      await expect(await tryReplies(newWorld(), name)).toMatchFileSnapshot(golden);
    },
  );
});
