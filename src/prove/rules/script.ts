/** What a scripted model does: one step for each of its answers. */

export interface ModelStep {
  readonly text?: string;
  readonly tool?: string;
  /** Codex names the server apart from the tool. */
  readonly namespace?: string;
  /** A text for a tool that takes no JSON, such as Codex's `apply_patch`. */
  readonly input?: Readonly<Record<string, unknown>> | string;
  /** Another tool that it calls in the same answer. Its result counts as a step of its own, so a script has one more. */
  readonly also?: ModelStep;
}

/** One piece of a conversation, whichever wire it came by. */
export type ModelTurn =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "result"; readonly text: string };

/** The calls of tools in one answer; none when it only speaks. */
export function callsIn(step: ModelStep): readonly (ModelStep & { readonly tool: string })[] {
  const { tool, also } = step;
  if (tool === undefined) return [];
  return [{ ...step, tool }, ...(also ? callsIn(also) : [])];
}

const MARK = /<<script ([a-z-]+)>>/g;

/** How a prompt names the script that the model follows. */
export function scriptMark(name: string): string {
  return `<<script ${name}>>`;
}

/** The script that the last prompt to name one names. */
export function scriptNameIn(turns: readonly ModelTurn[]): string | undefined {
  const prompts = turns.filter(({ kind }) => kind === "prompt");
  return prompts.flatMap(({ text }) => [...text.matchAll(MARK)].map(([, name]) => name)).at(-1);
}

/** What the tools have answered since the last prompt that names a script, oldest first. */
export function resultsIn(turns: readonly ModelTurn[]): readonly ModelTurn[] {
  const at = turns.findLastIndex((turn) => scriptNameIn([turn]) !== undefined);
  return turns.slice(at + 1).filter(({ kind }) => kind === "result");
}
