/** Advice as one file for each agent: what it was given already, and the texts that still wait for its next hook. */
import { fileNameFor } from "../../core/file-name.ts";
import type { AgentId } from "../../core/ids.ts";
import type { Advice } from "../../engine/ports/advice.ts";
import { pathIn } from "../files/path-in.ts";
import { readPrivateJson, writePrivateJson } from "../files/private-file.ts";

export const ADVICE_KIND = "advice";

/** What was given earlier may be given again. */
const MOST_REMEMBERED = 100;
const MOST_WAITING = 10;

interface Given {
  readonly about: readonly string[];
  readonly waiting: readonly string[];
}

export function createAdvice(dataDir: string): Advice {
  const root = pathIn(dataDir, "agents");
  const pathOf = (agentId: AgentId) => pathIn(root, fileNameFor(ADVICE_KIND, agentId));
  const read = (agentId: AgentId): Given => {
    const { about, waiting } = Object(quietly(() => readPrivateJson(pathOf(agentId)))) as Record<keyof Given, unknown>;
    return { about: textsIn(about), waiting: textsIn(waiting) };
  };
  const write = (agentId: AgentId, given: Given) => quietly(() => writePrivateJson(root, pathOf(agentId), given));
  return {
    give(agentId, about, text) {
      const given = read(agentId);
      if (given.about.includes(about)) return false;
      write(agentId, {
        about: [...given.about, about].slice(-MOST_REMEMBERED),
        waiting: [...given.waiting, text].slice(-MOST_WAITING),
      });
      return true;
    },
    waiting: (agentId) => read(agentId).waiting,
    shown(agentId, texts) {
      if (texts.length === 0) return;
      const given = read(agentId);
      write(agentId, { ...given, waiting: given.waiting.filter((text) => !texts.includes(text)) });
    },
  };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** A file that cannot be read or written costs only the advice. */
function quietly<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    // The agent works without the advice, as it does without a guard.
    return null;
  }
}
