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

const shown = new Map(); // number of an entry -> its element
const waiting = new Map(); // id of a message that nobody acknowledged -> its text
let last = 0;
let socket = null;
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
        button.addEventListener("click", () => {
          choices.querySelectorAll("button").forEach((each) => { each.disabled = true; });
          send({ type: "approval", session_key: entry.session_key, approval_id: entry.approval_id, choice });
          field.focus();
        });
        choices.append(button);
      }
      bubble.append(choices);
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

function draw(number, entry) {
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  const element = (DRAW[entry.kind] || DRAW.notice)(entry);
  const time = new Date(entry.at * 1000);
  element.title = time.toLocaleString();
  const before = shown.get(number) || (entry.id && shown.get(entry.id));
  if (before) before.replaceWith(element);
  else log.append(element);
  shown.delete(entry.id);
  shown.set(number, element);
  last = Math.max(last, number);
  if (atEnd) log.scrollTop = log.scrollHeight;
}

function tell(text) {
  problem.textContent = text;
  problem.hidden = !text;
}

function send(document_) {
  if (socket && socket.readyState === WebSocket.OPEN) {
    socket.send(JSON.stringify(document_));
    return true;
  }
  return false;
}

function say(text) {
  const id = crypto.randomUUID();
  waiting.set(id, text);
  const element = DRAW.user({ text });
  element.classList.add("pending");
  shown.set(id, element);
  log.append(element);
  log.scrollTop = log.scrollHeight;
  send({ type: "message", id, text });
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws?chat=${encodeURIComponent(chat)}&after=${last}`);
  let opened = false;
  socket.addEventListener("message", (event) => {
    const given = JSON.parse(event.data);
    if (given.type === "entry") draw(given.number, given.entry);
    else if (given.type === "typing") typing.hidden = !given.active;
    else if (given.type === "received") waiting.delete(given.id);
    else if (given.type === "error") tell(given.text);
    else if (given.type === "ready") {
      opened = true;
      pause = 500;
      connection.textContent = "connected";
      for (const [id, text] of waiting) send({ type: "message", id, text });
    }
  });
  socket.addEventListener("close", async (event) => {
    connection.textContent = "not connected, trying again …";
    typing.hidden = true;
    if (event.code === 1009) tell("That message is too long.");
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
  if (new TextEncoder().encode(text).length > 60_000) {
    tell("That message is too long: at most 60,000 bytes.");
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
