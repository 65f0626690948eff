"""The commands of `ecs-anim`. The module of a command is imported when the command is called."""
