import { wordNext } from "../../src/core/next.ts";
import type { Refusal } from "../../src/core/refusal.ts";

/** What a model reads of a refusal. It has no command line, so no flag may stand in it. */
export function toldToModel(answer: unknown): string {
  const { message, next } = answer as Refusal;
  return `${message} ${wordNext(next, (step) => step.do, "server")}`;
}

export const A_FLAG = / --[a-z]/;
