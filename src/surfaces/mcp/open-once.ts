/**
 * The store of a server: the first call that needs it opens it, and the server keeps it. If it could not be opened, the
 * next call tries again. If it was removed or replaced and a call has failed because of that, the next call opens the
 * present store. The old one is closed at the end, because other calls may still use it.
 */
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import type { McpPorts } from "./call.ts";

export function openOnce(openDeps: McpPorts["openDeps"]) {
  let opened: Promise<Deps | Refusal> | null = null;
  const left: Deps[] = [];
  return {
    open: async (): Promise<Deps | Refusal> => {
      opened ??= openDeps();
      try {
        const deps = await opened;
        if (isRefusal(deps)) opened = null;
        return deps;
      } catch (error) {
        opened = null;
        throw error;
      }
    },
    /** Whether a store was dropped. */
    letGoOfMoved: async (): Promise<boolean> => {
      const looked = opened;
      const deps = await usable(looked);
      // Of several calls that failed, one is the first.
      if (deps === null || opened !== looked || deps.store.isInPlace()) return false;
      opened = null;
      left.push(deps);
      return true;
    },
    close: async (): Promise<void> => {
      const last = await usable(opened);
      for (const { bell, store } of last ? [...left, last] : left) {
        await bell.close();
        await store.close();
      }
    },
  };
}

async function usable(opened: Promise<Deps | Refusal> | null): Promise<Deps | null> {
  const deps = await opened?.catch(() => null);
  return !deps || isRefusal(deps) ? null : deps;
}
