"""The commands of `ecs-anim`. A command imports its module when it is called."""
