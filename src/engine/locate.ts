import { invalidInput, type Refusal } from "../core/refusal.ts";
import type { Deps } from "./deps.ts";
import type { Place } from "./ports/workspace.ts";

/** The place that a caller means by a path. */
export async function locate(
  { workspace }: Deps,
  contextPath: unknown,
): Promise<Place | Refusal<"invalid_input" | "invalid_path">> {
  if (typeof contextPath !== "string") return notAPath("is not text", "Give the path of a directory.");
  if (contextPath === "") return notAPath("is empty", "Leave it out, or give the path of a directory.");
  return workspace.locate(contextPath);
}

function notAPath(problem: string, next: string): Refusal<"invalid_input"> {
  return invalidInput("context_path", `The path ${problem}.`, next);
}
