"""The commands of `ecs-anim`. The program imports the module of a command only when a user runs the command."""
