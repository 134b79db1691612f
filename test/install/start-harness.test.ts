import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ConfigFiles } from "../../src/engine/ports/config-files.ts";
import { setUp } from "../../src/install/installer.ts";
import { planStart } from "../../src/install/start-harness.ts";
import { setupOf, setupWorld } from "./setup-world.ts";

const gemini = setupOf("gemini");

function withSettings(settings: object) {
  const { deps, home } = setupWorld();
  mkdirSync(join(home, ".gemini"));
  writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings));
  // An entry of another tt is known by the end of this path.
  const pins = { ...deps.pins, hookScript: join(home, "hooks/tt-hook") };
  const places = { ...deps.places, project: join(home, "project") };
  return { deps: { ...deps, pins, places }, settings: join(home, ".gemini/settings.json") };
}

const NOT_FOR_ONE_RUN = "Gemini CLI takes no tools or hooks for one run. To set it up: tt install gemini";

it("a harness that must be installed first also says which setting would still keep our hooks out", () => {
  const { deps, settings } = withSettings({ hooksConfig: { enabled: false } });
  expect(planStart(deps, gemini, [])).toMatchObject({
    missing: [
      `Gemini CLI is told to leave out our tools or hooks: hooksConfig.enabled in ${settings}.`,
      NOT_FOR_ONE_RUN,
    ],
  });
});

it("one that is set up in part is told to be installed, and nothing else", () => {
  const { deps } = withSettings({ mcpServers: { "talking-stick": { command: "tt", args: ["mcp"] } } });
  expect(planStart(deps, gemini, [])).toMatchObject({ missing: [NOT_FOR_ONE_RUN] });
});

it("one that another tt has set up is told to be looked at", () => {
  const { deps } = withSettings({});
  expect(setUp(deps, gemini, "in")).toMatchObject({ status: "done" });
  expect(planStart(deps, gemini, [])).toMatchObject({ missing: [] });
  const moved = { ...deps, pins: { ...deps.pins, program: "/y/tt.cjs" } };
  expect(planStart(moved, gemini, [])).toMatchObject({
    missing: ["Gemini CLI is set up in another way than this tt would do it: tt doctor"],
  });
});

it("to find out whether it is set up as now, each of its files is looked at once", () => {
  const { deps, settings } = withSettings({});
  setUp(deps, gemini, "in");
  const looked: string[] = [];
  const files: ConfigFiles = {
    ...deps.files,
    look: (path) => {
      looked.push(path);
      return deps.files.look(path);
    },
  };
  planStart({ ...deps, files }, { ...gemini, switchedOff: () => [] }, []);
  // Once for what it lacks, once for what it has.
  expect(looked).toEqual([settings, settings]);
});
