import type { ServerContext } from "@modelcontextprotocol/server";

/** Below every client's patience. */
const AT_LEAST_EVERY_MS = 10_000;

export interface ProgressReporter {
  /** Says what the call waits for. */
  readonly tell: (message: string) => void;
  readonly end: () => void;
}

/** Tells a client that asked for progress what its call waits for, on every change, and now and then that it lives. */
export function progressOf({ mcpReq }: ServerContext): ProgressReporter {
  const { _meta: meta, notify, signal } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return { tell: () => undefined, end: () => undefined };
  let message = "waiting";
  let steps = 0;
  const send = () => {
    if (signal.aborted) return;
    steps += 1;
    const params = { progressToken, progress: steps, message };
    // A client that is gone needs no progress, and the call itself learns of it.
    notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  const timer = setInterval(send, AT_LEAST_EVERY_MS);
  return {
    tell: (text) => {
      if (text === message) return;
      message = text;
      send();
    },
    end: () => clearInterval(timer),
  };
}
