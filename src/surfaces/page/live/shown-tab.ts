/**
 * Browsers open few connections to one server, so of several tabs only those that the person looks at keep their streams.
 *
 *   shown ──hidden, and another tab is shown──▶ resting ──shown──▶ shown
 */
import { freshName } from "../browser.ts";

export interface ShownTab {
  readonly isResting: () => boolean;
  /** Calls back when the tab begins to rest or goes on. */
  readonly onChange: (changed: () => void) => void;
}

const CHANNEL = "talking-stick";

export function watchShownTab(): ShownTab {
  const me = freshName();
  const channel = new BroadcastChannel(CHANNEL);
  let resting = false;
  let changed: (() => void) | null = null;
  const become = (rests: boolean) => {
    if (resting === rests) return;
    resting = rests;
    changed?.();
  };
  const show = () => {
    if (document.hidden) return;
    // A channel has no target: only pages of this server hear it.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    channel.postMessage(me);
    become(false);
  };
  channel.addEventListener("message", ({ data }) => {
    if (data !== me && document.hidden) become(true);
  });
  document.addEventListener("visibilitychange", show);
  show();
  return {
    isResting: () => resting,
    onChange: (call) => {
      changed = call;
    },
  };
}
