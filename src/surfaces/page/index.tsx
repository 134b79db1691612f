/** The entry of the page: beside a server that runs, or with a recording in it. */
// First: the styles of views come after those that all views share, and so may differ from them.
import "./style/page.css";
import { createRoot } from "react-dom/client";
import { RECORDING_ELEMENT } from "../wire/recording.ts";
import { App } from "./app.tsx";
import { LiveSource } from "./live/live-source.ts";
import { loadAgainForSecret, takeSecret } from "./live/server-call.ts";
import { openRecording } from "./recorded-source.ts";
import { Failure } from "./shell/failure.tsx";
import { Slider } from "./slider.tsx";

const WITHOUT_SECRET = "This address alone opens nothing. Start the page in a terminal: tt ui";
const DAMAGED = "This file is damaged: its recording cannot be read. Make another: tt export --html FILE";

const place = document.getElementById("page");
if (place) {
  const root = createRoot(place);
  const recording = document.getElementById(RECORDING_ELEMENT);
  const secret = recording ? null : takeSecret();
  if (!recording) loadAgainForSecret();
  if (recording) {
    openRecording(recording).then(
      (source) =>
        root.render(
          <Failure>
            <App source={source} footer={<Slider source={source} />} />
          </Failure>,
        ),
      () => root.render(<p className="empty">{DAMAGED}</p>),
    );
  } else if (secret === null) {
    root.render(<p className="empty">{WITHOUT_SECRET}</p>);
  } else {
    const source = new LiveSource(secret);
    void source.run();
    root.render(
      <Failure>
        <App source={source} />
      </Failure>,
    );
  }
}
