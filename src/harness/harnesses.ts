import type { Harness } from "./contract.ts";
import * as registry from "./registry.ts";

/** Every harness of the registry, in the order of the alphabet. */
export const HARNESSES: readonly Harness[] = Object.values(registry);

export function harnessNamed(name: string): Harness | undefined {
  return HARNESSES.find((harness) => harness.name === name);
}

/** Files with a project's instructions that only some harness reads. */
export const GUIDE_FILES: readonly string[] = HARNESSES.flatMap(({ guideFile }) => guideFile ?? []);
