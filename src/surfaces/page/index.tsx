/** The entry of the page: beside a server that runs, or with a recording in it. */
import { createRoot } from "react-dom/client";
import { visible } from "../../core/visible.ts";
import { RECORDING_ELEMENT } from "../wire/recording.ts";
import { App } from "./app.tsx";
import { LiveSource } from "./live/live-source.ts";
import { takeSecret } from "./live/server-call.ts";
import { Failure } from "./shell/failure.tsx";
import "./style/page.css";

const WITHOUT_SECRET = "This address alone opens nothing. Start the page in a terminal: tt ui";

const place = document.getElementById("page");
if (place) {
  const root = createRoot(place);
  const recording = document.getElementById(RECORDING_ELEMENT);
  const secret = recording ? null : takeSecret();
  if (recording) {
    root.render(<p>{visible(recording.id)}</p>);
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
