"""A freedesktop notification service on the session's D-Bus, which writes down what it is asked to show and to close.

    dbus-run-session -- python notification_service.py COMMAND ...

serves while COMMAND runs, then prints one JSON list and ends with the command's exit code. The first number is 1.
"""

import json
import subprocess
import sys
import threading

from jeepney import HeaderFields, MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.Notifications"


def serve(connection, calls):
    number = 0
    while True:
        message = connection.receive()
        if message.header.message_type is not MessageType.method_call:
            continue
        method, body = message.header.fields[HeaderFields.member], message.body
        if method == "Notify":
            number += 1
            calls.append(
                {"shown": number, "title": body[3], "text": body[4], "urgency": body[6].get("urgency", [0, 1])[1]}
            )
            answer = new_method_return(message, "u", (number,))
        elif method == "CloseNotification":
            calls.append({"closed": body[0]})
            answer = new_method_return(message)
        elif method == "GetServerInformation":
            answer = new_method_return(message, "ssss", ("test", "hermes-sdk", "1", "1.2"))
        elif method == "GetCapabilities":
            answer = new_method_return(message, "as", (["body", "body-markup"],))
        else:
            answer = new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
        connection.send(answer)


def main(command):
    connection = open_dbus_connection(bus="SESSION")
    connection.send_and_get_reply(message_bus.RequestName(NAME))
    calls = []
    threading.Thread(target=serve, args=(connection, calls), daemon=True).start()
    done = subprocess.run(command, check=False)
    print(json.dumps(calls))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
