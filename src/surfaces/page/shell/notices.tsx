/** Short notices at the edge. A plain one goes by itself, an error stays until the person has closed it. */
import { type ReactNode, useCallback, useRef, useState } from "react";
import { visible } from "../../../core/visible.ts";
import type { PageTools } from "../page-context.ts";

interface ShownNotice {
  readonly id: number;
  readonly words: string;
  readonly tone: "plain" | "error";
}

const SHOWN_MS = 8000;
const MOST_NOTICES = 4;

export function useNotices() {
  const [notices, setNotices] = useState<readonly ShownNotice[]>([]);
  const last = useRef(0);
  const dismiss = useCallback((id: number) => setNotices((all) => all.filter((notice) => notice.id !== id)), []);
  const tell: PageTools["tell"] = useCallback(
    (words, tone = "plain") => {
      last.current += 1;
      const id = last.current;
      setNotices((all) => [...all, { id, words, tone }].slice(-MOST_NOTICES));
      if (tone === "plain") setTimeout(() => dismiss(id), SHOWN_MS);
    },
    [dismiss],
  );
  return { notices, tell, dismiss };
}

interface NoticesProps {
  readonly notices: readonly ShownNotice[];
  readonly dismiss: (id: number) => void;
}

export function Notices({ notices, dismiss }: NoticesProps): ReactNode {
  const said = (tone: ShownNotice["tone"]) =>
    notices
      .filter((notice) => notice.tone === tone)
      .map(({ id, words }) => (
        <div key={id} className={`notice ${tone === "error" ? "tone-bad" : "tone-accent"}`}>
          <span className="foreign-text">{visible(words)}</span>
          <button type="button" className="link" onClick={() => dismiss(id)}>
            Close
          </button>
        </div>
      ));
  return (
    <div className="notices">
      <div role="alert">{said("error")}</div>
      <div role="status">{said("plain")}</div>
    </div>
  );
}
