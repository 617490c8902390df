"use strict";

// Whatever comes from the gateway is text: it is shown by textContent alone, never as HTML.

const chat = new URLSearchParams(location.search).get("chat") || "main";
const log = document.getElementById("log");
const form = document.getElementById("form");
const field = document.getElementById("text");
const connection = document.getElementById("connection");
const typing = document.getElementById("typing");
const problem = document.getElementById("problem");

const CHOICES = { once: "Allow once", session: "Allow for this session", always: "Always allow", deny: "Deny" };
const ANSWERED = { once: "Allowed once", session: "Allowed for this session", always: "Always allowed", deny: "Denied" };
const STATUS = { running: "running …", ok: "done", error: "failed", blocked: "blocked", cancelled: "cancelled", timeout: "timed out" };

const LARGEST_MESSAGE = 65_536; // bytes, as the gateway has it
const SLOW_DOWN = 2_500; // ms to wait when the gateway says that it is too fast

const shown = new Map(); // number of an entry, or id of a message that has none yet -> its element
const waiting = new Map(); // id of a message that nobody acknowledged -> its text, in the order in which they were written
const answers = new Map(); // id of an approval -> the answer that nobody acknowledged
let onItsWay = null; // id of the message that was sent last; the next one goes when it is acknowledged
let last = 0; // the newest revision that is shown
let socket = null;
let ready = false;
let pause = 500;

document.getElementById("chat-name").textContent = chat === "main" ? "" : chat;

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function prose(text) {
  // code between fences keeps its form
  const bubble = make("div", "bubble");
  text.split(/^```.*\n?/m).forEach((part, index) => {
    if (part) bubble.append(index % 2 ? make("pre", "", part.replace(/\n$/, "")) : document.createTextNode(part));
  });
  return bubble;
}

function pretty(args) {
  try {
    const parsed = JSON.parse(args);
    return typeof parsed.command === "string" && Object.keys(parsed).length === 1 ? parsed.command : JSON.stringify(parsed, null, 2);
  } catch {
    return args;
  }
}

const DRAW = {
  user(entry) {
    const element = make("article", "entry user");
    element.append(make("span", "who", "You"), prose(entry.text));
    if (entry.refused) {
      element.classList.add("refused");
      element.append(make("p", "why", entry.refused));
    }
    return element;
  },
  agent(entry) {
    const element = make("article", "entry agent");
    element.append(make("span", "who", "Hermes"), prose(entry.text));
    return element;
  },
  tool(entry) {
    const element = make("article", `entry tool ${entry.status}`);
    const details = make("details");
    const summary = make("summary");
    summary.append(`${entry.tool} `, make("span", "status", STATUS[entry.status] || entry.status));
    details.append(summary);
    if (entry.args) details.append(make("pre", "", pretty(entry.args)));
    if (entry.status !== "ok" && entry.status !== "running") {
      details.open = true;
      details.append(make("p", "why", entry.text));
    } else if (entry.result) {
      details.append(make("pre", "", entry.result));
    }
    element.append(details);
    return element;
  },
  approval(entry) {
    const element = make("article", "entry approval");
    const bubble = make("div", "bubble");
    bubble.append(make("h2", "", "May I run this?"), make("p", "", entry.text), make("pre", "", entry.command));
    if (entry.choice === null) {
      const choices = make("div", "choices");
      for (const choice of entry.choices) {
        const button = make("button", choice === "once" ? "primary" : "", CHOICES[choice] || choice);
        button.type = "button";
        button.disabled = answers.has(entry.approval_id);
        button.addEventListener("click", () => {
          choices.querySelectorAll("button").forEach((each) => { each.disabled = true; });
          answer(entry, choice, bubble);
          field.focus();
        });
        choices.append(button);
      }
      bubble.append(choices);
      if (answers.has(entry.approval_id)) bubble.append(unsent(answers.get(entry.approval_id)));
    } else {
      bubble.append(make("p", "who", ANSWERED[entry.choice] || entry.closed || entry.choice));
    }
    element.append(bubble);
    return element;
  },
  divider(entry) {
    return make("p", "entry divider", entry.text);
  },
  notice(entry) {
    return make("p", `entry notice ${entry.level === "warning" ? "warning" : ""}`, entry.text);
  },
};

function isAtEnd() {
  return log.scrollHeight - log.scrollTop - log.clientHeight < 80;
}

function toEnd() {
  log.scrollTop = log.scrollHeight;
}

function works(active) {
  const atEnd = isAtEnd(); // the line takes its height from the log
  typing.hidden = !active;
  if (atEnd) toEnd();
}

function draw(number, revision, entry) {
  const atEnd = isAtEnd();
  if (entry.kind === "approval" && entry.choice !== null) answered(entry);
  const element = (DRAW[entry.kind] || DRAW.notice)(entry);
  const time = new Date(entry.at * 1000);
  element.title = time.toLocaleString();
  const before = shown.get(number) || (entry.id && shown.get(entry.id));
  if (before) before.replaceWith(element);
  else log.append(element);
  shown.delete(entry.id);
  shown.set(number, element);
  last = Math.max(last, revision);
  if (atEnd) toEnd();
}

function tell(text) {
  problem.textContent = text;
  problem.hidden = !text;
}

function send(document_) {
  socket.send(JSON.stringify(document_));
}

// -- messages: one at a time, each until it is acknowledged or refused

function say(text) {
  const id = crypto.randomUUID();
  waiting.set(id, text);
  const element = DRAW.user({ text });
  element.classList.add("pending");
  shown.set(id, element);
  log.append(element);
  toEnd();
  sendNext();
}

function sendNext() {
  if (!ready || onItsWay !== null || !waiting.size) return;
  const [id, text] = waiting.entries().next().value;
  onItsWay = id;
  send({ type: "message", id, text });
}

function acknowledged(id) {
  waiting.delete(id);
  if (onItsWay === id) onItsWay = null;
  sendNext();
}

function refused(id, why) {
  const pending = shown.get(id); // an entry of the gateway's log says it itself
  if (pending) {
    const element = DRAW.user({ text: waiting.get(id), refused: why });
    pending.replaceWith(element);
    shown.set(id, element);
  }
  tell(`Not sent: ${why}`);
  acknowledged(id);
}

// -- answers to approvals: kept until the gateway says how the question ended

function answer(entry, choice, bubble) {
  const given = { type: "approval", session_key: entry.session_key, approval_id: entry.approval_id, choice };
  answers.set(entry.approval_id, given);
  if (ready) send(given);
  else bubble.append(unsent(given));
}

function unsent(given) {
  return make("p", "who", `Your answer: ${CHOICES[given.choice] || given.choice}. It is sent when the connection is back.`);
}

function answered(entry) {
  const given = answers.get(entry.approval_id);
  answers.delete(entry.approval_id);
  if (given && given.choice !== entry.choice) {
    tell(`Your answer (${CHOICES[given.choice] || given.choice}) came too late: ${entry.closed || entry.choice}`);
  }
}

function complained(given) {
  if (given.id) refused(given.id, given.text);
  else if (given.code === "too_fast") setTimeout(sendAll, SLOW_DOWN);
  else {
    answers.delete(given.approval_id);
    tell(given.text);
  }
}

function sendAll() {
  if (!ready) return;
  onItsWay = null;
  for (const given of answers.values()) send(given);
  sendNext();
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws?chat=${encodeURIComponent(chat)}&after=${last}`);
  let opened = false;
  socket.addEventListener("message", (event) => {
    const given = JSON.parse(event.data);
    if (given.type === "entry") draw(given.number, given.revision, given.entry);
    else if (given.type === "typing") works(given.active);
    else if (given.type === "received") acknowledged(given.id);
    else if (given.type === "error") complained(given);
    else if (given.type === "ready") {
      opened = ready = true;
      pause = 500;
      connection.textContent = "connected";
      sendAll();
    }
  });
  socket.addEventListener("close", async (event) => {
    ready = false;
    connection.textContent = "not connected, trying again …";
    works(false);
    // somebody between here and the gateway takes less than it does: again would end the same way
    if (event.code === 1009 && onItsWay !== null) refused(onItsWay, "it is too long");
    if (!opened && (await loggedOut())) {
      location.reload();
      return;
    }
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 10_000);
  });
}

async function loggedOut() {
  try {
    return (await fetch("/", { method: "GET" })).status === 401;
  } catch {
    return false;
  }
}

function fit() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value;
  if (!text.trim()) return;
  const size = new TextEncoder().encode(text).length;
  if (size > LARGEST_MESSAGE) {
    tell(`That message is too long: ${size.toLocaleString("en")} bytes, at most ${LARGEST_MESSAGE.toLocaleString("en")}.`);
    return;
  }
  tell("");
  say(text);
  field.value = "";
  fit();
});

field.addEventListener("input", fit);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});

document.getElementById("new").addEventListener("click", () => {
  say("/new");
  field.focus();
});

connect();
