/** What an agent is about to do with a tool, as far as it may change files. The dialect of its harness reads it. */

export type WriteAttempt =
  /** `paths`: as the tool was given them, relative ones to the directory in which the session works. */
  | { readonly kind: "edit"; readonly tool: string; readonly paths: readonly string[] }
  /** `directory`: where the command runs, if the tool was told; relative to the directory of the session. */
  | { readonly kind: "shell"; readonly tool: string; readonly command: string; readonly directory: string | null };

/** The paths that a patch in the format of `apply_patch` adds, changes, moves or deletes; `.` if it names none. */
export function pathsInPatch(patch: string): readonly string[] {
  const heads = patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm);
  const paths = [...heads].map(([, path = ""]) => path);
  return paths.length === 0 ? ["."] : paths;
}
