/** Says which keys do what. No key alone opens it: a screen reader or a voice may send single keys. */
import { type ReactNode, useRef } from "react";

type KeyLine = readonly [keys: string, does: string];

const KEYS: readonly (readonly [where: string, keys: readonly KeyLine[]])[] = [
  [
    "Everywhere",
    [
      ["Tab, Shift+Tab", "to the next or the former part"],
      ["Enter, Space", "presses what has the focus"],
      ["Escape", "closes a question, a form or an answer; nothing is done"],
    ],
  ],
  [
    "Names of the views",
    [
      ["← →", "the view before or after"],
      ["Home, End", "the first or the last view"],
    ],
  ],
  [
    "Lists",
    [
      ["↑ ↓", "one line"],
      ["Page Up, Page Down", "ten lines"],
      ["Home, End", "the first or the last line"],
      ["Enter", "opens it, where there is something to open"],
      ["Tab", "to the buttons of the line"],
    ],
  ],
  [
    "Timeline",
    [
      ["← →", "earlier or later"],
      ["↑ ↓", "the turn or mark before or after"],
      ["+ − 0", "nearer, farther, the whole"],
      ["Enter", "opens the chosen one"],
    ],
  ],
  [
    "Changes of a turn",
    [
      ["n, p", "the next or the former file"],
      ["Enter, Shift+Enter", "in the search: the next or the former place"],
    ],
  ],
  [
    "Writing",
    [
      ["Enter", "a new line"],
      ["Ctrl+Enter, Cmd+Enter", "sends"],
    ],
  ],
];

export function Keys(): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" className="link small" onClick={() => dialog.current?.showModal()}>
        Keys
      </button>
      <dialog ref={dialog} className="dialog" aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <div className="keys">
          {KEYS.map(([where, keys]) => (
            <section key={where}>
              <h3>{where}</h3>
              <dl>
                {keys.map(([pressed, does]) => (
                  <div key={pressed} className="keys-line">
                    <dt>
                      <kbd>{pressed}</kbd>
                    </dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <div className="row dialog-buttons">
          <button type="button" className="button" autoFocus onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </dialog>
    </>
  );
}
