{%- if cookiecutter.__is_plugin == "True" %}{% include "code/settings.py" %}{% endif -%}
