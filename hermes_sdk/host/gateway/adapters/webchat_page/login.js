"use strict";

const form = document.getElementById("form");
const field = document.getElementById("token");
const problem = document.getElementById("problem");

async function logIn(token) {
  problem.textContent = "";
  try {
    const response = await fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
    if (response.ok) {
      location.replace("/" + location.search);
      return;
    }
    problem.textContent = (await response.json()).error;
  } catch {
    problem.textContent = "The gateway does not answer.";
  }
  field.select();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn(field.value.trim());
});

const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  // out of the address bar and the history before anything else happens
  history.replaceState(null, "", location.pathname + location.search);
  logIn(given);
}
