import { render } from "preact";
import { App } from "./app.tsx";
import "./style/base.css";
import "./style/layout.css";
import "./style/question.css";
import "./style/pages.css";

const place = document.getElementById("app");
if (place !== null) render(<App />, place);
