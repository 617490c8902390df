"""What a shell command does: parsed by tree-sitter, its words expanded, its programs known by what they do."""
