/** Scripts of the tests' model: what it says and which tools it calls, one step per answer. */
import { type ModelStep, type ModelTurn, resultsIn, scriptNameIn } from "../../../src/prove/rules/script.ts";

export interface Step extends ModelStep {
  /**
   * A string `$2.lease_id` stands for that field of what the second tool call answered, `$mail` for the id of the
   * message that the model was shown last, and `$attempt` for the attempt that it was last told to name. A field for
   * which there is nothing is left out.
   */
  readonly input?: NonNullable<ModelStep["input"]>;
  /** The model creates this file when it comes to this step. */
  readonly reached?: string;
  /** The model takes its time until this file is there. */
  readonly waitFor?: string;
  /** The same, once the model was told these words. */
  readonly waitOnceTold?: { readonly words: string; readonly file: string };
  /** The request fails with this status. */
  readonly fails?: number;
}

export type Scripts = Readonly<Record<string, readonly Step[]>>;

/**
 * The step that is due after the last prompt that names a script: one per tool result since. `shown` is everything that
 * the model was shown, whichever way it came.
 */
export function stepFor(scripts: Scripts, turns: readonly ModelTurn[], shown: string): Step {
  const name = scriptNameIn(turns);
  const script = name === undefined ? undefined : scripts[name];
  if (!script) return { text: "There is nothing to do." };
  const results = resultsIn(turns);
  const step = script[results.length];
  if (!step) return { text: "Done." };
  if (!step.input || typeof step.input === "string") return step;
  const told = {
    mail: [...shown.matchAll(MAIL)].at(-1)?.slice(1).find(Boolean),
    attempt: [...shown.matchAll(ATTEMPT)].at(-1)?.[1],
  };
  return { ...step, input: filledIn(step.input, results, told) as NonNullable<Step["input"]> };
}

interface Told {
  readonly mail: string | undefined;
  readonly attempt: string | undefined;
}

/** In its frame, or as a tool of ours gives it. */
const MAIL = /answer with reply_to_message ([\w-]+)|\\"messages\\":\[\{.{0,40}\\"message_id\\":\\"([\w-]+)/g;
/** As JSON within JSON has it, with any number of backslashes before a quote. */
const ATTEMPT = /wait_for_turn \{[^}]*?attempt\\*":(\d+)/g;

function filledIn(value: unknown, results: readonly ModelTurn[], told: Told): unknown {
  if (Array.isArray(value)) return value.map((item) => filledIn(item, results, told));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledIn(item, results, told)]));
  }
  if (value === "$mail") return told.mail;
  if (value === "$attempt") return told.attempt === undefined ? undefined : Number(told.attempt);
  const [, place, path] = /^\$(\d+)\.([\w.]+)$/.exec(typeof value === "string" ? value : "") ?? [];
  if (place === undefined || path === undefined) return value;
  const answer = answerIn(results[Number(place) - 1]?.text ?? "");
  return path.split(".").reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], answer);
}

/** What a tool of ours, or a command, answered: one line. Some harnesses put words of their own around it. */
export function answerIn(text: string): unknown {
  const line = text.split("\n").find((one) => ANSWER.test(one));
  if (line === undefined) return null;
  try {
    return JSON.parse(line.replace(ANSWER, "{"));
  } catch {
    // It is no answer of ours.
    return null;
  }
}

const ANSWER = /^(Output: )?\{/;
