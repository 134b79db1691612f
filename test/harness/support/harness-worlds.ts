import { afterAll, beforeAll } from "vitest";
import { type Bundle, bundleFixture } from "../../support/fixture.ts";
import { HarnessWorld } from "./harness-world.ts";
import { tellMissing } from "./installed.ts";

/** Bundles the scripted model for the tests of one file, and says which harnesses they must do without. */
export function harnessWorlds(): () => HarnessWorld {
  let model: Bundle | undefined;
  beforeAll(async () => {
    tellMissing();
    model = await bundleFixture("test/harness/fixtures/model.ts");
  });
  afterAll(() => model?.remove());
  return () => {
    if (!model) throw new Error("worlds are made inside of tests");
    return new HarnessWorld(model);
  };
}
