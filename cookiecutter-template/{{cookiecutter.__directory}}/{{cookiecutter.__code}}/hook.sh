#!/bin/sh
# {{ cookiecutter.__about }}
# Reads one JSON object on stdin; an answer is one JSON object on stdout, no answer is no opinion.
command=$(cat)
case $command in
  *"git push --force"*)
    echo '{"action": "block", "message": "force pushes are for people"}'
    ;;
esac
