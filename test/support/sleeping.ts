/** A world in which every nap lasts as long as it was asked for, nobody rings, and nothing else takes time. */
import type { Deps } from "../../src/engine/deps.ts";
import type { ServiceWorld } from "./service-world.ts";

const SILENT = { lookEveryMs: 2000, close: () => undefined };

export function sleeping(world: ServiceWorld): Deps {
  const next = async (timeoutMs: number): Promise<"timeout"> => {
    world.nowMs += timeoutMs;
    return "timeout";
  };
  return { ...world.deps, bell: { ...world.deps.bell, subscribe: async () => ({ ...SILENT, next }) } };
}
