/** Scripts of the model: what it says and which tools it calls, one step per answer. */

export interface Step {
  readonly text?: string;
  readonly tool?: string;
  /** Codex names the server apart from the tool. */
  readonly namespace?: string;
  /** A string `$2.lease_id` stands for that field of what the second tool call answered. */
  readonly input?: Readonly<Record<string, unknown>>;
}

export type Scripts = Readonly<Record<string, readonly Step[]>>;

/** One piece of a conversation, whichever wire it came by. */
export type Turn =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "result"; readonly text: string };

const MARK = /<<script ([a-z-]+)>>/g;

/** The step that is due after the last prompt that names a script: one per tool result since. */
export function stepFor(scripts: Scripts, turns: readonly Turn[]): Step {
  const at = turns.findLastIndex(({ kind, text }) => kind === "prompt" && [...text.matchAll(MARK)].length > 0);
  const name = [...(turns[at]?.text ?? "").matchAll(MARK)].at(-1)?.[1];
  const script = name === undefined ? undefined : scripts[name];
  if (!script) return { text: "There is nothing to do." };
  const results = turns.slice(at + 1).filter(({ kind }) => kind === "result");
  const step = script[results.length];
  if (!step) return { text: "Done." };
  return step.input ? { ...step, input: filledIn(step.input, results) as NonNullable<Step["input"]> } : step;
}

function filledIn(value: unknown, results: readonly Turn[]): unknown {
  if (Array.isArray(value)) return value.map((item) => filledIn(item, results));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledIn(item, results)]));
  }
  const [, place, path] = /^\$(\d+)\.([\w.]+)$/.exec(typeof value === "string" ? value : "") ?? [];
  if (place === undefined || path === undefined) return value;
  const answer = answerIn(results[Number(place) - 1]?.text ?? "");
  return path.split(".").reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], answer);
}

/** What a tool of ours answered: one line. Some harnesses put lines of their own around it. */
export function answerIn(text: string): unknown {
  const line = text.split("\n").find((one) => one.startsWith("{"));
  if (line === undefined) return null;
  try {
    return JSON.parse(line);
  } catch {
    // It is no answer of ours.
    return null;
  }
}
