import { LIMITS } from "../core/limits.ts";
import { invalidInput, isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeText } from "./decode.ts";
import type { Deps } from "./deps.ts";
import type { Place } from "./ports/workspace.ts";

/** The place that a caller means by a path. */
export async function locate(
  { workspace }: Deps,
  contextPath: unknown,
): Promise<Place | Refusal<"invalid_input" | "invalid_path">> {
  // A program that names no directory has none.
  if (contextPath === "")
    return invalidInput("context_path", "context_path is missing.", "Give the path of a directory.");
  const path = decodeText("context_path", contextPath, LIMITS.pathCharacters);
  return isRefusal(path) ? { ...path, next: "Give the path of a directory." } : workspace.locate(path);
}
