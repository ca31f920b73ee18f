"""Category and capability of items that their author gave none, by rules that anybody can read."""
