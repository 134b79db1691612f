import type { StrategyName } from "../../../session/rules/identity.ts";

/** The kinds of evidence in words. */
export const IDENTITY_SOURCE_LABELS: Readonly<Record<StrategyName, string>> = {
  explicit: "the name that was given",
  hook: "the session id that its harness told a hook",
  call: "the session id that came with the call",
  environment: "the session id in the environment",
  session_file: "the harness's own session file",
  session_card: "the card that a hook has left",
  sticky_claim: "a claim",
  ancestry: "the harness's process",
  person: "your terminal",
  session_leader: "the shell that leads this terminal session",
};
