/** The entry of the page. */
import { createRoot } from "react-dom/client";
import "./style/page.css";

const place = document.getElementById("page");
if (place) createRoot(place).render(<p>Talking Stick</p>);
