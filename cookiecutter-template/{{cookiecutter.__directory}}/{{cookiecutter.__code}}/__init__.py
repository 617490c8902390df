{%- if cookiecutter.__is_plugin == "True" %}{% include "code/" ~ cookiecutter.kind ~ ".py" %}{% endif -%}
